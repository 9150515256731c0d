#include "dataloader/records/record_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "dataloader/records/file_stream.h"
#include "dataloader/records/frame.h"
#include "dataloader/records/little_endian.h"

namespace carrack::data {

RecordReader::RecordReader(const ByteSource& file, ReadOptions options)
    : RecordReader(file.name(),
                   std::make_unique<FileStream>(file, FileStream::Content::records, options.compression,
                                                std::max(options.piece, frame::overhead)),
                   options) {}

RecordReader::RecordReader(std::string name, std::unique_ptr<ByteStream> stream, ReadOptions options)
    : name_(std::move(name)),
      stream_(std::move(stream)),
      allow_truncated_(options.allow_truncated),
      buffer_(std::max(options.piece, frame::overhead)) {}

std::variant<Records, EndOfFile, Corrupt> RecordReader::next() {
  records_.clear();
  const std::uint64_t first = number_;
  for (;;) {
    const std::optional<Fault> fault = take_whole_frames();
    if (!records_.empty()) return Records{first, records_};
    if (fault) return lose(*fault);
    if (!hold(needed_)) return end();
  }
}

// Stops before what is not whole, leaving in needed_ how much it takes, and before what is at fault.
std::optional<Fault> RecordReader::take_whole_frames() {
  while (buffered() >= frame::header_size) {
    const std::byte* at = buffer_.data() + begin_;
    const std::optional<std::uint64_t> length = frame::length_in(frame::Header(at, frame::header_size));
    if (!length) return Fault::bad_length;
    if (*length > record_bytes_max) return Fault::too_long;
    needed_ = frame::size_of(*length);
    if (buffered() < needed_) return std::nullopt;
    if (!frame::holds({at + frame::header_size, *length + frame::footer_size})) return Fault::bad_data;
    records_.push_back({{at + frame::header_size, *length}, offset_});
    pass(needed_);
    ++number_;
  }
  needed_ = frame::header_size;
  return std::nullopt;
}

Corrupt RecordReader::lose(Fault fault) {
  Corrupt found = corrupt(fault, fault_text(fault));
  if (fault == Fault::bad_data)
    pass(needed_);
  else
    search();
  ++number_;
  found.lost = offset_ - found.offset;
  return found;
}

// Nothing more comes that is whole.
std::variant<Records, EndOfFile, Corrupt> RecordReader::end() {
  if (left() == 0 && !stream_->problem()) return EndOfFile{};
  const auto [fault, why] = stream_->problem().value_or(ByteStream::Problem{Fault::truncated, fault_text(Fault::truncated)});
  Corrupt found = corrupt(fault, why);
  found.lost = left();
  stream_->close();
  begin_ = end_;
  offset_ += found.lost;
  ++number_;
  if (fault == Fault::truncated && allow_truncated_) return EndOfFile{};
  return found;
}

// Goes on where the next whole record stands, or behind all that can be read.
void RecordReader::search() {
  for (pass(1); hold(frame::header_size); pass(1))
    if (record_stands_here()) return;
  pass(buffered());
}

// A length with a good checksum may stand anywhere, many times over and far too large. So that the search takes time
// in proportion to the file, whatever its bytes are, what is checked in vain is never much more than what was passed.
bool RecordReader::record_stands_here() {
  const std::byte* at = buffer_.data() + begin_;
  if (number_at<std::uint64_t>(at) > search_bytes_max) return false;  // Nearly always, and soon found.
  const std::optional<std::uint64_t> length = frame::length_in(frame::Header(at, frame::header_size));
  if (!length) return false;
  const std::uint64_t size = frame::size_of(*length);
  if (size > search_bytes_max || in_vain_ + size > offset_ + search_bytes_max || !hold(size)) return false;
  at = buffer_.data() + begin_;
  if (frame::holds({at + frame::header_size, *length + frame::footer_size})) return true;
  in_vain_ += size;
  return false;
}

// Whether as many bytes are in the buffer from begin_ on, or can be brought there.
bool RecordReader::hold(std::uint64_t size) {
  while (buffered() < size) {
    if (left() < size || stream_->problem()) return false;
    fill(size);
  }
  return true;
}

void RecordReader::fill(std::uint64_t size) {
  if (buffered() == buffer_.size()) {
    LargeVector<std::byte> larger(std::min<std::uint64_t>(size, 2 * buffer_.size()));
    std::memcpy(larger.data(), buffer_.data() + begin_, buffered());
    buffer_ = std::move(larger);
  } else {
    std::memmove(buffer_.data(), buffer_.data() + begin_, buffered());
  }
  end_ -= begin_;
  begin_ = 0;
  end_ += stream_->read({buffer_.data() + end_, buffer_.size() - end_});
}

void RecordReader::pass(std::uint64_t bytes) {
  begin_ += bytes;
  offset_ += bytes;
}

// From begin_ on.
std::uint64_t RecordReader::left() const {
  const std::uint64_t to_come = stream_->left();
  return to_come == ByteStream::unknown ? to_come : buffered() + to_come;
}

Corrupt RecordReader::corrupt(Fault fault, std::string what) const {
  return {fault, name_, number_, offset_, 0, std::move(what), stream_->inflates()};
}

}  // namespace carrack::data
