#include "dataloader/records/record_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "dataloader/records/file_stream.h"
#include "dataloader/records/first_bytes.h"
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
      piece_(std::max(options.piece, frame::overhead)),
      buffer_(2 * piece_) {}

std::variant<Records, EndOfFile, Corrupt> RecordReader::next() {
  records_.clear();
  const std::uint64_t first = number_;
  for (;;) {
    const std::optional<Fault> fault = take_whole_frames();
    if (!records_.empty()) return Records{first, records_};
    if (fault) return skip_fault(*fault);
    if (!buffer_bytes(needed_)) return end();
  }
}

// Appends the whole frames in the buffer to records_. Stops at a fault, which it returns, and at a frame that is not
// complete in the buffer: needed_ is then the number of bytes to buffer.
std::optional<Fault> RecordReader::take_whole_frames() {
  while (buffered() >= frame::header_size) {
    const std::byte* at = buffer_.data() + begin_;
    const std::optional<std::uint64_t> length = frame::length_in(frame::Header(at, frame::header_size));
    if (!length) return Fault::bad_length;
    if (*length > frame::record_bytes_max) return Fault::too_long;
    needed_ = frame::size_of(*length);
    if (buffered() < needed_) return std::nullopt;
    if (!frame::checksum_matches({at + frame::header_size, *length + frame::footer_size})) return Fault::bad_data;
    records_.push_back({{at + frame::header_size, *length}, offset_});
    skip(needed_);
    ++number_;
  }
  needed_ = frame::header_size;
  return std::nullopt;
}

// Skips the damage at begin_ and returns the fault. If only the data of a record is damaged, skips that record;
// otherwise skips everything up to the next good record.
Corrupt RecordReader::skip_fault(Fault fault) {
  const auto beginning = std::span(buffer_).subspan(begin_, std::min<std::size_t>(buffered(), first_bytes));
  const bool is_text = offset_ == 0 && is_text_and_no_record(beginning);
  Corrupt found = corrupt(fault, is_text ? text_message : fault_text(fault));
  if (fault == Fault::bad_data)
    skip(needed_);
  else
    search();
  ++number_;
  found.lost = offset_ - found.offset;
  return found;
}

// Returns the result of next() when no complete frame follows.
std::variant<Records, EndOfFile, Corrupt> RecordReader::end() {
  if (left() == 0 && !stream_->problem()) return EndOfFile{};
  const auto [fault, why] =
      stream_->problem().value_or(ByteStream::Problem{Fault::truncated, fault_text(Fault::truncated)});
  Corrupt found = corrupt(fault, why);
  found.lost = left();
  stream_->close();
  begin_ = end_;
  offset_ += found.lost;
  ++number_;
  if (fault == Fault::truncated && allow_truncated_) return EndOfFile{};
  return found;
}

// Continues at the next good record, or at the end if there is none.
void RecordReader::search() {
  for (skip(1); buffer_bytes(frame::header_size); skip(1))
    if (has_record_here()) return;
  skip(buffered());
}

// Returns whether a good record begins at begin_. Hostile data may have large lengths with good checksums at all
// offsets. So this limits the number of bytes whose checksum it computes in vain to the offset plus a constant. The
// search then takes time in proportion to the size of the file.
bool RecordReader::has_record_here() {
  const std::byte* at = buffer_.data() + begin_;
  if (number_at<std::uint64_t>(at) > search_bytes_max) return false;  // nearly all offsets end here, at little cost
  const std::optional<std::uint64_t> length = frame::length_in(frame::Header(at, frame::header_size));
  if (!length) return false;
  const std::uint64_t size = frame::size_of(*length);
  if (size > search_bytes_max || wasted_ + size > offset_ + search_bytes_max || !buffer_bytes(size)) return false;
  at = buffer_.data() + begin_;
  if (frame::checksum_matches({at + frame::header_size, *length + frame::footer_size})) return true;
  wasted_ += size;
  return false;
}

// Reads until `size` bytes from begin_ on are in the buffer. Returns false if the stream ends before that.
bool RecordReader::buffer_bytes(std::uint64_t size) {
  while (buffered() < size) {
    if (left() < size || stream_->problem()) return false;
    fill(size);
  }
  return true;
}

// Reads once from the stream into the buffer. `size` is how many bytes are needed from begin_ on; if the buffer is
// full, it doubles, but not beyond `size`.
void RecordReader::fill(std::uint64_t size) {
  // After a long record more long records may follow, so once the buffer has grown, reads use all of it.
  const bool has_grown = buffer_.size() > 2 * piece_;
  if (!has_grown && buffered() <= piece_) return fill_piece();
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

// Reads a piece into the second half of the buffer, and moves the bytes that are left to just before it. So reads of a
// file mostly begin at multiples of piece_ and are written to the same aligned address, which is faster in the kernel
// than other addresses.
void RecordReader::fill_piece() {
  const std::size_t left = buffered();
  std::memmove(buffer_.data() + piece_ - left, buffer_.data() + begin_, left);
  begin_ = piece_ - left;
  end_ = piece_ + stream_->read({buffer_.data() + piece_, piece_});
}

void RecordReader::skip(std::uint64_t bytes) {
  begin_ += bytes;
  offset_ += bytes;
}

// Returns the number of bytes from begin_ to the end of the file, or ByteStream::unknown.
std::uint64_t RecordReader::left() const {
  const std::uint64_t to_come = stream_->left();
  return to_come == ByteStream::unknown ? to_come : buffered() + to_come;
}

Corrupt RecordReader::corrupt(Fault fault, std::string message) const {
  return {fault, name_, number_, offset_, 0, std::move(message), stream_->inflates()};
}

}  // namespace carrack::data
