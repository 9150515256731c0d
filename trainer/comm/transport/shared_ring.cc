#include "trainer/comm/transport/shared_ring.h"

#include <algorithm>
#include <cstring>

#include "dataloader/check.h"

namespace carrack::train {

std::optional<std::size_t> RingWriter::write(std::span<const std::byte> bytes) {
  const std::uint64_t released = other_.released.load();
  if (released < released_ || released > written_) return std::nullopt;
  released_ = released;
  const std::size_t size = std::min(bytes.size(), ring_.size() - static_cast<std::size_t>(written_ - released_));
  if (size == 0) return 0;
  const std::size_t at = written_ % ring_.size();
  const std::size_t to_end = std::min(size, ring_.size() - at);
  std::memcpy(ring_.data() + at, bytes.data(), to_end);
  std::memcpy(ring_.data(), bytes.data() + to_end, size - to_end);
  written_ += size;
  return size;
}

std::optional<std::size_t> RingReader::available() {
  const std::uint64_t written = other_.written.load();
  if (written < written_ || written - taken_ > ring_.size()) return std::nullopt;
  written_ = written;
  return written_ - taken_;
}

std::vector<Piece::Block> RingReader::take(std::size_t size) {
  CHECK_LE(size, written_ - taken_);
  const std::size_t at = taken_ % ring_.size();
  const std::size_t to_end = std::min(size, ring_.size() - at);
  taken_ += size;
  std::vector<Piece::Block> blocks;
  if (to_end > 0) blocks.push_back(ring_.subspan(at, to_end));
  if (size > to_end) blocks.push_back(ring_.first(size - to_end));
  return blocks;
}

std::uint64_t RingReader::end_run() {
  const MutexLock lock(mutex_);
  runs_.push_back({taken_});
  return first_run_ + runs_.size() - 1;
}

bool RingReader::release(std::uint64_t run) {
  const MutexLock lock(mutex_);
  runs_.at(run - first_run_).is_released = true;
  const std::uint64_t before = released_bytes_;
  for (; !runs_.empty() && runs_.front().is_released; runs_.pop_front(), ++first_run_) {
    released_bytes_ = runs_.front().end;
  }
  if (released_bytes_ == before) return false;
  own_.released.store(released_bytes_);
  return other_.waits.load() != 0;
}

}  // namespace carrack::train
