#include "trainer/comm/transport/shared_frames.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace carrack::train {
namespace {

// Copies the next `to.size()` bytes, which must be available. The other process can still change bytes in the ring, so
// bytes are copied before they are checked.
void copy_next(RingReader& from, std::span<std::byte> to) {
  for (const Piece::Block& block : from.take(to.size())) {
    std::memcpy(to.data(), block.data(), block.size());
    to = to.subspan(block.size());
  }
}

}  // namespace

void FrameQueue::push(const wire::Message& message, Tail tail) {
  std::string head = head_of(message, tail.values().size_bytes());
  frames_.push_back({std::move(head), std::move(tail)});
}

bool FrameQueue::write(SharedConnection& to) {
  bool waits = false;
  while (!frames_.empty()) {
    const Outgoing& first = frames_.front();
    const std::size_t before = first.written;
    if (!write_piece(to)) return false;
    if (first.written > before) {
      to.writer().publish();
      to.wake();
      if (first.written == first.head.size() + first.tail.values().size_bytes()) frames_.pop_front();
    } else if (waits) {
      return true;
    } else {
      // Tries once more, because the other side may have released bytes before it could see that this side waits.
      waits = true;
      to.writer().set_waits(true);
    }
  }
  to.writer().set_waits(false);
  return true;
}

bool FrameQueue::write_piece(SharedConnection& to) {
  Outgoing& frame = frames_.front();
  const std::size_t head_size = frame.head.size();
  if (frame.written < head_size) {
    const auto written = to.writer().write(std::as_bytes(std::span(frame.head)).subspan(frame.written));
    if (!written) return false;
    frame.written += *written;
    if (frame.written < head_size) return true;
  }
  const std::size_t begin = frame.written - head_size;
  const auto rest = std::as_bytes(frame.tail.values()).subspan(begin);
  const auto written =
      to.writer().write(rest.first(std::min(rest.size(), shared_piece_bytes - begin % shared_piece_bytes)));
  if (!written) return false;
  frame.written += *written;
  return true;
}

SharedFrameReader::Next SharedFrameReader::next(const std::shared_ptr<SharedConnection>& from,
                                                const FrameLimits& limits) {
  const std::optional<std::size_t> available = from->reader().available();
  if (!available) return Malformed{};
  std::size_t left = *available;
  if (parts_.is_complete()) {
    if (!sizes_) {
      if (left < frame_sizes_bytes) return Incomplete{};
      if (!read_sizes(from->reader(), limits)) return Malformed{};
      left -= frame_sizes_bytes;
    }
    left -= read_control(from, left);
    if (control_.size() < sizes_->control_bytes) return Incomplete{};
    if (!parts_.begin(std::exchange(control_, {}), sizes_->tail_bytes)) return Malformed{};
    sizes_.reset();
  }
  const std::size_t size = parts_.next_bytes();
  if (size == 0) return parts_.take({}, nullptr);
  if (left < size) return Incomplete{};
  std::vector<Piece::Block> blocks = from->reader().take(size);
  return parts_.take(std::move(blocks), end_run(from));
}

bool SharedFrameReader::read_sizes(RingReader& from, const FrameLimits& limits) {
  std::array<std::byte, frame_sizes_bytes> bytes;
  copy_next(from, bytes);
  sizes_ = sizes_in(bytes, limits);
  return sizes_.has_value();
}

// Copies the bytes of the control part that have arrived, and returns their number. They are released immediately,
// since the control part may be longer than the ring.
std::size_t SharedFrameReader::read_control(const std::shared_ptr<SharedConnection>& from, std::size_t available) {
  const std::size_t before = control_.size();
  const std::size_t size = std::min(available, sizes_->control_bytes - before);
  control_.resize(before + size);
  copy_next(from->reader(), std::as_writable_bytes(std::span(control_)).subspan(before));
  end_run(from);
  return size;
}

}  // namespace carrack::train
