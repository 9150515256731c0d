#include "dataloader/records/record_reader.h"

#include <algorithm>
#include <cstring>

#include "dataloader/records/frame.h"

namespace carrack::data {

RecordReader::RecordReader(const ByteSource& file, std::size_t piece)
    : file_(file),
      buffer_(std::make_unique_for_overwrite<std::byte[]>(std::max(piece, frame::overhead))),
      capacity_(std::max(piece, frame::overhead)) {}

std::variant<Records, EndOfFile, Corrupt> RecordReader::next() {
  records_.clear();
  const std::uint64_t first = number_;
  needed_ = frame::header_size;
  std::optional<Fault> fault;
  while (records_.empty() && !fault) {
    if (left_in_file() == 0) return EndOfFile{};
    if (left_in_file() < needed_)
      fault = Fault::cut_tail;
    else if (!fill())
      fault = Fault::changed;
    else
      fault = take_whole_frames();
  }
  if (!records_.empty()) return Records{first, records_};
  return skip(*fault, fault == Fault::bad_data ? needed_ : left_in_file());
}

// Stops before what is not whole, leaving in needed_ how much it takes, and before what is at fault.
std::optional<Fault> RecordReader::take_whole_frames() {
  while (buffered() >= frame::header_size) {
    const std::byte* at = buffer_.get() + begin_;
    const std::optional<std::uint64_t> length =
        frame::length_in(std::span<const std::byte, frame::header_size>(at, frame::header_size));
    if (!length) return Fault::bad_length;
    if (left_in_file() < frame::overhead || *length > left_in_file() - frame::overhead) return Fault::cut_tail;
    needed_ = *length + frame::overhead;
    if (buffered() < needed_) return std::nullopt;
    if (!frame::holds({at + frame::header_size, *length + frame::footer_size})) return Fault::bad_data;
    records_.push_back({{at + frame::header_size, *length}, offset_});
    begin_ += needed_;
    offset_ += needed_;
    ++number_;
  }
  needed_ = frame::header_size;
  return std::nullopt;
}

// False where the file is no longer what it was.
bool RecordReader::fill() {
  if (needed_ > capacity_) {
    auto larger = std::make_unique_for_overwrite<std::byte[]>(needed_);
    std::memcpy(larger.get(), buffer_.get() + begin_, buffered());
    buffer_ = std::move(larger);
    capacity_ = needed_;
  } else {
    std::memmove(buffer_.get(), buffer_.get() + begin_, buffered());
  }
  end_ -= begin_;
  begin_ = 0;
  const std::size_t wanted = std::min<std::uint64_t>(capacity_, left_in_file()) - end_;
  const Slice slice{offset_ + end_, {buffer_.get() + end_, wanted}};
  if (wanted > 0 && file_.read({&slice, 1}) != ReadResult::complete) return false;
  end_ += wanted;
  return true;
}

// The record at begin_ cannot be used: goes on `lost` bytes behind its beginning.
Corrupt RecordReader::skip(Fault fault, std::uint64_t lost) {
  Corrupt corrupt{fault, file_.name(), number_, offset_, lost, what(fault)};
  begin_ += std::min<std::uint64_t>(lost, buffered());
  offset_ += lost;
  ++number_;
  return corrupt;
}

}  // namespace carrack::data
