#include "dataloader/sources/npy.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dataloader/records/little_endian.h"
#include "dataloader/records/wire.h"

namespace carrack::data {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t longest_header = std::size_t{1} << 20;

// Of all its bytes; nothing where there are more than any number.
std::optional<std::uint64_t> size_of(const NpyArray& array) {
  std::uint64_t size = data::size_of(array.type.number);
  if (std::ranges::find(array.shape, 0u) != array.shape.end()) return 0;
  for (const std::uint64_t length : array.shape)
    if (__builtin_mul_overflow(size, length, &size)) return std::nullopt;
  return size;
}

class Opening {
 public:
  explicit Opening(const ByteSource& file) : file_(file) {}

  // Where the array begins, and what it is.
  std::variant<std::pair<std::uint64_t, NpyArray>, Corrupt> look() {
    if (!read(std::size_t{4} << 10)) return fault(Fault::changed, fault_text(Fault::changed));
    const std::string_view text = wire::text_of(bytes_);
    if (!text.starts_with(magic)) return fault(Fault::wrong_kind, "it does not begin as an array of numpy's does");
    if (text.size() < 12) return fault(Fault::truncated, "the file ends within its header");
    const unsigned major = std::to_integer<unsigned>(bytes_[6]), minor = std::to_integer<unsigned>(bytes_[7]);
    if (major < 1 || major > 3 || minor != 0)
      return fault(Fault::wrong_kind, "it is of version " + std::to_string(major) + "." + std::to_string(minor) +
                                          ", and 1.0, 2.0 and 3.0 are read");
    const std::size_t begin = major == 1 ? 10 : 12;
    const std::size_t size =
        major == 1 ? number_at<std::uint16_t>(bytes_.data() + 8) : number_at<std::uint32_t>(bytes_.data() + 8);
    if (size > longest_header) return fault(Fault::wrong_kind, "its header is longer than 1 MiB");
    if (begin + size > file_.stat().size) return fault(Fault::truncated, "the file ends within its header");
    if (!read(begin + size)) return fault(Fault::changed, fault_text(Fault::changed));
    auto array = npy_array(wire::text_of(bytes_).substr(begin, size));
    if (const std::string* problem = std::get_if<std::string>(&array)) return fault(Fault::wrong_kind, *problem);
    return whole(begin + size, std::get<NpyArray>(std::move(array)));
  }

 private:
  std::variant<std::pair<std::uint64_t, NpyArray>, Corrupt> whole(std::uint64_t begin, NpyArray array) const {
    const std::uint64_t there = file_.stat().size - begin;
    const std::optional<std::uint64_t> size = size_of(array);
    if (!size || *size > there)
      return fault(Fault::truncated,
                   "the file ends within the array: " +
                       (size ? std::to_string(*size) + " bytes" : std::string("more bytes than any file has")) +
                       " are said, and " + std::to_string(there) + " are there");
    if (*size < there) return fault(Fault::wrong_kind, std::to_string(there - *size) + " bytes stand behind the array");
    return std::pair(begin, std::move(array));
  }

  // The first bytes, up to so many.
  bool read(std::size_t size) {
    const std::size_t had = bytes_.size();
    bytes_.resize(std::max<std::size_t>(had, std::min<std::uint64_t>(size, file_.stat().size)));
    const Slice slice{had, std::span(bytes_).subspan(had)};
    return slice.into.empty() || file_.read({&slice, 1}) == ReadResult::complete;
  }

  Corrupt fault(Fault fault, std::string what) const {
    return {fault, file_.name(), 0, 0, file_.stat().size, std::move(what), false, "row"};
  }

  const ByteSource& file_;
  Bytes bytes_;
};

}  // namespace

std::variant<ArrayRows, Corrupt> open_npy(std::unique_ptr<const ByteSource> file) {
  auto found = Opening(*file).look();
  if (Corrupt* corrupt = std::get_if<Corrupt>(&found)) return std::move(*corrupt);
  auto& [begin, array] = std::get<0>(found);
  return ArrayRows(std::move(file), begin, array.type, std::move(array.shape));
}

}  // namespace carrack::data
