#include "dataloader/sources/zip_member.h"

#include <algorithm>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/records/compression.h"
#include "dataloader/records/inflater.h"
#include "dataloader/records/little_endian.h"
#include "dataloader/sources/memory_bytes.h"
#include "dataloader/text.h"

namespace carrack::data {
namespace {

constexpr std::size_t piece = std::size_t{256} << 10;
// A compressed byte inflates to at most this many bytes: two bits can copy 258 bytes.
constexpr std::uint64_t inflation_max = 1032;
constexpr std::size_t header_size = 30;
constexpr std::uint32_t header_mark = 0x04034b50;

// Opens one member of an archive, after it has verified the member's checksum.
class Member {
 public:
  Member(const ByteSource& archive, const ZipMember& member)
      : archive_(archive), member_(member), name_(archive.name() + "/" + member.name) {}

  std::variant<std::unique_ptr<const ByteSource>, Corrupt> open() {
    constexpr std::uint16_t encrypted = 1;
    if ((member_.flags & encrypted) != 0) return fault(Fault::wrong_kind, "it is encrypted, which is not read");
    if (member_.method != ZipMember::stored && member_.method != ZipMember::deflated)
      return fault(Fault::wrong_kind, "it is compressed by ZIP's method " + std::to_string(member_.method) +
                                          ", and only stored and deflated members are read");
    if (std::optional<Corrupt> found = find_data()) return *std::move(found);
    std::optional<Corrupt> found = member_.method == ZipMember::stored ? check() : inflate();
    if (found) return *std::move(found);
    if (member_.method == ZipMember::stored)
      return std::make_unique<PartOfSource>(archive_, name_, data_, member_.size_bytes);
    return std::make_unique<MemoryByteSource>(name_, std::move(inflated_));
  }

 private:
  // Sets data_ to the offset of the content. The content follows the member's own header, whose name and extra fields
  // may have other lengths than in the directory.
  std::optional<Corrupt> find_data() {
    const std::uint64_t size = archive_.stat().size;
    Bytes header(header_size);
    if (size < header_size || member_.offset > size - header_size)
      return fault(Fault::truncated, "the archive ends before it");
    if (archive_.read_at(member_.offset, header) != ReadResult::complete)
      return fault(Fault::changed, fault_text(Fault::changed));
    data_ = member_.offset + header_size + number_at<std::uint16_t>(header.data() + 26) +
            number_at<std::uint16_t>(header.data() + 28);
    if (number_at<std::uint32_t>(header.data()) != header_mark || data_ > size || member_.packed_bytes > size - data_)
      return fault(Fault::truncated, "it is not where the archive's directory says");
    return std::nullopt;
  }

  // Allocates all memory for the inflated content before inflating begins, so that a lack of memory is noticed early.
  void reserve() {
    try {
      inflated_.reserve(member_.size_bytes);
    } catch (const std::bad_alloc&) {
      throw Error(name_ + ": inflates to " + std::to_string(member_.size_bytes) +
                  " bytes, for which there is not enough memory; store it uncompressed, as numpy.savez does");
    }
  }

  // Verifies the checksum of a member that is not compressed.
  std::optional<Corrupt> check() const {
    if (member_.packed_bytes != member_.size_bytes)
      return fault(Fault::bad_data, "it is stored, and its two sizes differ");
    std::uint32_t crc = 0;
    const auto see = [&](std::span<const std::byte> bytes) {
      crc = crc32(bytes, crc);
      return std::optional<std::string>();
    };
    std::optional<Corrupt> found = read(see);
    return found || crc == member_.crc ? found : bad_checksum();
  }

  // Inflates the member into inflated_, and verifies its size and checksum.
  std::optional<Corrupt> inflate() {
    if (member_.size_bytes / inflation_max > member_.packed_bytes)
      return fault(Fault::bad_data, "it says that it inflates to " + counted(member_.size_bytes, "byte") +
                                        ", more than its " + counted(member_.packed_bytes, "byte") + " can hold");
    reserve();
    Inflater inflater = Inflater::of_raw_deflate();
    Bytes into(piece);
    const auto see = [&](std::span<const std::byte> bytes) -> std::optional<std::string> {
      for (;;) {
        const Inflater::Step step = inflater.inflate(bytes, into);
        if (step.damage) return "the compressed data is damaged: " + *step.damage;
        if (step.made > member_.size_bytes - inflated_.size())
          return "it inflates to more than the archive's directory says";
        inflated_.insert(inflated_.end(), into.begin(), into.begin() + static_cast<std::ptrdiff_t>(step.made));
        bytes = bytes.subspan(step.taken);
        if (step.made < into.size()) return std::nullopt;
      }
    };
    if (std::optional<Corrupt> found = read(see)) return found;
    if (!inflater.at_an_end() || inflated_.size() != member_.size_bytes)
      return fault(Fault::bad_stream, "it inflates to less than the archive's directory says");
    return crc32(inflated_) == member_.crc ? std::nullopt : std::optional(bad_checksum());
  }

  // Calls `see` with all bytes of the member, in pieces. If `see` returns what is wrong with a piece, returns it as a
  // fault.
  template <typename See>
  std::optional<Corrupt> read(const See& see) const {
    Bytes bytes(std::min<std::uint64_t>(piece, member_.packed_bytes));
    for (std::uint64_t at = 0; at < member_.packed_bytes; at += bytes.size()) {
      const auto into = std::span(bytes).first(std::min<std::uint64_t>(bytes.size(), member_.packed_bytes - at));
      if (archive_.read_at(data_ + at, into) != ReadResult::complete)
        return fault(Fault::changed, fault_text(Fault::changed));
      if (const std::optional<std::string> damage = see(into)) return fault(Fault::bad_stream, *damage);
    }
    return std::nullopt;
  }

  Corrupt bad_checksum() const { return fault(Fault::bad_data, "it does not match its checksum"); }
  Corrupt fault(Fault fault, std::string message) const {
    return {fault, name_, 0, 0, member_.packed_bytes, std::move(message), false, "row"};
  }

  const ByteSource& archive_;
  const ZipMember& member_;
  const std::string name_;
  std::uint64_t data_ = 0;  // offset of the content in the archive
  Bytes inflated_;
};

}  // namespace

std::variant<std::unique_ptr<const ByteSource>, Corrupt> open_zip_member(const ByteSource& archive,
                                                                         const ZipMember& member) {
  return Member(archive, member).open();
}

}  // namespace carrack::data
