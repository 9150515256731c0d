#include "dataloader/records/first_bytes.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "dataloader/records/frame.h"
#include "dataloader/records/little_endian.h"
#include "dataloader/records/wire.h"

namespace carrack::data {
namespace {

// RFC 1952: a GZIP file begins with two magic bytes and the number of its method. 8 is deflate, the only method that
// the RFC defines.
constexpr std::string_view gzip_begins = "\x1f\x8b\x08";
// Git LFS leaves a small text, a pointer, in place of a file that it has not fetched. The text begins with these words.
// See https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
constexpr std::string_view lfs_pointer_begins = "version https://";

// True if the first two bytes are a ZLIB header (RFC 1950): deflate, a window of at most 32 KiB, no dictionary, and
// five check bits that match. About one in a thousand damaged records begins with such bytes, too. To tell them apart,
// bytes 4 to 7 must not be 0: in a record they are the upper half of its length, which is always 0.
bool begins_as_zlib(std::span<const std::byte> bytes) {
  if (bytes.size() < 8) return false;
  const auto method = std::to_integer<unsigned>(bytes[0]);
  const auto flags = std::to_integer<unsigned>(bytes[1]);
  return (method & 0x0f) == 8 && method >> 4 <= 7 && (flags & 0x20) == 0 && (256 * method + flags) % 31 == 0 &&
         number_at<std::uint32_t>(bytes.data() + 4) != 0;
}

}  // namespace

Kind kind_of(std::span<const std::byte> bytes) {
  if (bytes.empty()) return Kind::records;
  if (bytes.size() >= frame::header_size && frame::length_in(bytes.first<frame::header_size>())) return Kind::records;
  const Kind kind = kind_of_text(bytes);
  return kind == Kind::unknown && begins_as_zlib(bytes) ? Kind::zlib : kind;
}

Kind kind_of_file(const ByteSource& file) {
  Bytes begin(std::min<std::uint64_t>(file.stat().size, first_bytes));
  return file.read_at(0, begin) == ReadResult::complete ? kind_of(begin) : Kind::unknown;
}

Kind kind_of_text(std::span<const std::byte> bytes) {
  const std::string_view text = wire::text_of(bytes);
  if (text.starts_with(gzip_begins)) return Kind::gzip;
  if (text.starts_with(lfs_pointer_begins)) return Kind::lfs_pointer;
  return Kind::unknown;
}

bool is_text_and_no_record(std::span<const std::byte> bytes) {
  return bytes.size() >= sizeof(std::uint64_t) && std::ranges::all_of(wire::text_of(bytes), [](char one) {
           return (one >= ' ' && one <= '~') || one == '\t' || one == '\r' || one == '\n';
         });
}

Compression compression_of(Kind kind) {
  return kind == Kind::gzip ? Compression::gzip : kind == Kind::zlib ? Compression::zlib : Compression::none;
}

const char* kind_text(Kind kind) {
  switch (kind) {
    case Kind::records:
      return "it begins with a record";
    case Kind::gzip:
      return "it is compressed as GZIP";
    case Kind::zlib:
      return "it is compressed as ZLIB";
    case Kind::lfs_pointer:
      return "it is a pointer of Git LFS, not the file itself; `git lfs pull` fetches that";
    case Kind::unknown:
      return "it begins neither with a record nor as GZIP or ZLIB do";
  }
  return "";
}

}  // namespace carrack::data
