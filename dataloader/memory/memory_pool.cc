#include "dataloader/memory/memory_pool.h"

#include <bit>
#include <mutex>
#include <utility>
#include <vector>

namespace carrack::data {

// The last one that came back is taken first: it may still be in a cache.
struct MemoryPool::Idle {
  struct Piece {
    std::unique_ptr<std::byte[]> memory;
    std::size_t size = 0;
  };

  std::mutex mutex;  // Guards all below.
  std::vector<Piece> pieces;
  std::uint64_t bytes = 0;
  std::uint64_t most_bytes = 0;

  Piece take(std::size_t size) {
    const std::lock_guard lock(mutex);
    for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
      if (piece->size < size || piece->size / 2 > size) continue;
      Piece taken = std::move(*piece);
      pieces.erase(std::next(piece).base());
      bytes -= taken.size;
      return taken;
    }
    return {};
  }
  // What does not fit is freed, and the oldest before the one that was just used.
  void give_back(Piece piece) {
    std::vector<Piece> freed;  // after the lock
    const std::lock_guard lock(mutex);
    bytes += piece.size;
    pieces.push_back(std::move(piece));
    std::size_t oldest = 0;
    for (; bytes > most_bytes; ++oldest) bytes -= pieces[oldest].size;
    for (std::size_t i = 0; i < oldest; ++i) freed.push_back(std::move(pieces[i]));
    pieces.erase(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(oldest));
  }
};

MemoryPool::MemoryPool(std::uint64_t most_idle_bytes) : idle_(std::make_shared<Idle>()) {
  idle_->most_bytes = most_idle_bytes;
}

std::shared_ptr<std::byte[]> MemoryPool::take(std::size_t size) const {
  Idle::Piece piece = idle_->take(size);
  // Sizes of a kind, so that the next one of about this size fits.
  if (!piece.memory) {
    constexpr std::size_t step = std::size_t{64} << 10;
    piece.size = size < step ? std::bit_ceil(size) : (size + size / 8 + step - 1) / step * step;
    piece.memory = std::make_unique_for_overwrite<std::byte[]>(piece.size);
  }
  const std::size_t whole = piece.size;
  return {piece.memory.release(), [idle = idle_, whole](std::byte* memory) {
            idle->give_back({std::unique_ptr<std::byte[]>(memory), whole});
          }};
}

}  // namespace carrack::data
