#include <algorithm>
#include <memory>

#include "dataloader/records/frame.h"
#include "dataloader/records/index.h"

namespace carrack::data {
namespace {

// Headers of a file one after the other, through a window that is long while records are short and short when they are
// long: a system call a record and a byte too much a record are both dear.
class Headers {
 public:
  explicit Headers(const ByteSource& file)
      : file_(file), window_(std::make_unique_for_overwrite<std::byte[]>(longest)) {}

  // At least the header at `offset`, which lies within the file; nothing where the file is no longer what it was.
  const std::byte* at(std::uint64_t offset) {
    if (offset < begin_ || offset + frame::header_size > begin_ + size_) {
      const bool records_are_long = offset > begin_ + size_ + longest;
      begin_ = offset;
      size_ = std::min<std::uint64_t>(records_are_long ? shortest : longest, file_.stat().size - offset);
      const Slice slice{begin_, {window_.get(), size_}};
      if (file_.read({&slice, 1}) != ReadResult::complete) return nullptr;
    }
    return window_.get() + (offset - begin_);
  }

 private:
  static constexpr std::size_t longest = std::size_t{256} << 10;
  static constexpr std::size_t shortest = std::size_t{4} << 10;

  const ByteSource& file_;
  std::unique_ptr<std::byte[]> window_;
  std::uint64_t begin_ = 0;
  std::size_t size_ = 0;
};

}  // namespace

std::variant<Index, Corrupt> build_index(const ByteSource& file) {
  std::vector<std::uint64_t> offsets;
  Headers headers(file);
  std::uint64_t offset = 0;
  std::uint64_t left = file.stat().size;
  const auto corrupt = [&](Fault fault) {
    return Corrupt{fault, file.name(), offsets.size(), offset, left, what(fault)};
  };
  while (left > 0) {
    if (left < frame::header_size) return corrupt(Fault::cut_tail);
    const std::byte* header = headers.at(offset);
    if (header == nullptr) return corrupt(Fault::changed);
    const std::optional<std::uint64_t> length =
        frame::length_in(std::span<const std::byte, frame::header_size>(header, frame::header_size));
    if (!length) return corrupt(Fault::bad_length);
    if (left < frame::overhead || *length > left - frame::overhead) return corrupt(Fault::cut_tail);
    offsets.push_back(offset);
    offset += frame::overhead + *length;
    left -= frame::overhead + *length;
  }
  return Index(file.stat(), offsets);
}

}  // namespace carrack::data
