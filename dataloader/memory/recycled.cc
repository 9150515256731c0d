#include "dataloader/memory/recycled.h"

#include <sanitizer/asan_interface.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "dataloader/machine/limits.h"

namespace carrack::data {
namespace {

constexpr std::size_t smallest = std::size_t{64} << 10;              // What is smaller the C library keeps well.
constexpr std::uint64_t most_idle_bytes = std::uint64_t{512} << 20;  // or an eighth of what the process may have
constexpr std::align_val_t alignment{64};

// Sizes of a kind: eight between a power of two and the next, so that what is given back fits again.
std::size_t rounded(std::size_t bytes) {
  const std::size_t step = std::bit_floor(bytes) / 8;
  return (bytes + step - 1) / step * step;
}

struct Free {
  void operator()(void* memory) const { ::operator delete(memory, alignment); }
};

// Of a size the last one that came back is taken first, as it may still be in a cache; what nobody wanted for longest
// is freed first. For a sanitizer nobody owns what lies here.
class Idle {
 public:
  explicit Idle(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  void* take(std::size_t size) {
    const std::lock_guard lock(mutex_);
    const auto behind = pieces_.upper_bound(size);
    if (behind == pieces_.begin() || std::prev(behind)->first != size) return nullptr;
    void* memory = std::prev(behind)->second.memory.release();
    pieces_.erase(std::prev(behind));
    bytes_ -= size;
    ASAN_UNPOISON_MEMORY_REGION(memory, size);
    return memory;
  }
  void keep(std::unique_ptr<void, Free> memory, std::size_t size) {
    Pieces unwanted;  // freed behind the lock
    const std::lock_guard lock(mutex_);
    ASAN_POISON_MEMORY_REGION(memory.get(), size);
    pieces_.emplace(size, Piece{std::move(memory), ++given_back_});
    bytes_ += size;
    while (bytes_ > most_bytes_) {
      const auto oldest = this->oldest();
      bytes_ -= oldest->first;
      unwanted.insert(pieces_.extract(oldest));
    }
  }

 private:
  struct Piece {
    std::unique_ptr<void, Free> memory;
    std::uint64_t number;  // counted as they come back
  };
  using Pieces = std::multimap<std::size_t, Piece>;  // by size; of one size as they came back

  Pieces::iterator oldest() {
    auto oldest = pieces_.begin();
    for (auto first = oldest; first != pieces_.end(); first = pieces_.upper_bound(first->first))
      if (first->second.number < oldest->second.number) oldest = first;
    return oldest;
  }

  const std::uint64_t most_bytes_;
  std::mutex mutex_;  // Guards all below.
  Pieces pieces_;
  std::uint64_t bytes_ = 0;
  std::uint64_t given_back_ = 0;
};

// Never destroyed: vectors may outlive everything else.
Idle& idle() {
  static Idle& all = *new Idle(std::min(memory_of_this_process() / 8, most_idle_bytes));
  return all;
}

}  // namespace

void* take_memory(std::size_t bytes) {
  if (bytes < smallest) return ::operator new(bytes);
  const std::size_t size = rounded(bytes);
  if (void* memory = idle().take(size)) return memory;
  return ::operator new(size, alignment);
}

void give_memory_back(void* memory, std::size_t bytes) noexcept {
  if (bytes < smallest) {
    ::operator delete(memory);
    return;
  }
  try {
    idle().keep(std::unique_ptr<void, Free>(memory), rounded(bytes));
  } catch (const std::bad_alloc&) {  // There was no room to note it, and it is freed.
  }
}

std::shared_ptr<std::byte[]> shared_memory(std::size_t bytes) {
  return {static_cast<std::byte*>(take_memory(bytes)), [bytes](std::byte* memory) { give_memory_back(memory, bytes); }};
}

}  // namespace carrack::data
