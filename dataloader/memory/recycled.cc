#include "dataloader/memory/recycled.h"

#include <sanitizer/asan_interface.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <new>
#include <utility>

#include "dataloader/check.h"
#include "dataloader/machine/heap.h"
#include "dataloader/machine/limits.h"
#include "dataloader/mutex.h"

namespace carrack::data {
namespace {

constexpr std::size_t recycled_bytes_min = std::size_t{64} << 10;  // The C library recycles smaller pieces itself.
constexpr std::uint64_t idle_loader_bytes_max = std::uint64_t{512} << 20;
constexpr std::align_val_t alignment{64};

// Rounds up to the next of eight sizes between two powers of two. Then requests whose sizes differ a little have the
// same rounded size, and a piece from one of them fits the next. The added bytes cost little: nobody touches them, so
// Linux assigns no memory to pages that contain nothing else.
std::size_t rounded(std::size_t bytes) {
  const std::size_t step = std::bit_floor(bytes) / 8;
  return (bytes + step - 1) / step * step;
}

struct Free {
  void operator()(void* memory) const { ::operator delete(memory, alignment); }
};

}  // namespace

// The pieces that are not in use. Of several pieces of one size, take() returns the one that was released last, because
// it may still be in a cache of the CPU.
class RecycledMemory::Idle {
 public:
  explicit Idle(std::uint64_t bytes_max) : bytes_max_(bytes_max) {}

  void* take(std::size_t size) {
    const MutexLock lock(mutex_);
    const auto next_size = pieces_.upper_bound(size);
    if (next_size == pieces_.begin() || std::prev(next_size)->first != size) return nullptr;
    void* memory = std::prev(next_size)->second.memory.release();
    pieces_.erase(std::prev(next_size));
    CHECK_GE(bytes_, size);
    bytes_ -= size;
    ASAN_UNPOISON_MEMORY_REGION(memory, size);
    return memory;
  }
  void keep(std::unique_ptr<void, Free> memory, std::size_t size) {
    Pieces unwanted;  // Declared before the lock, so that the pieces are freed after the mutex is released.
    const MutexLock lock(mutex_);
    ASAN_POISON_MEMORY_REGION(memory.get(), size);
    pieces_.emplace(size, Piece{std::move(memory), ++given_back_});
    bytes_ += size;
    while (bytes_ > bytes_max_) {
      CHECK(!pieces_.empty());
      const auto oldest = this->oldest();
      bytes_ -= oldest->first;
      unwanted.insert(pieces_.extract(oldest));
    }
  }

 private:
  struct Piece {
    std::unique_ptr<void, Free> memory;
    std::uint64_t number;  // counts released pieces, so a piece that was released later has a higher number
  };
  using Pieces = std::multimap<std::size_t, Piece>;  // sorted by size, and for equal sizes by number

  // Returns the piece that was released first. Compares only the first piece of each size, because that is the oldest
  // piece of its size.
  Pieces::iterator oldest() REQUIRES(mutex_) {
    auto oldest = pieces_.begin();
    for (auto first = oldest; first != pieces_.end(); first = pieces_.upper_bound(first->first))
      if (first->second.number < oldest->second.number) oldest = first;
    return oldest;
  }

  const std::uint64_t bytes_max_;
  Mutex mutex_;
  Pieces pieces_ GUARDED_BY(mutex_);
  std::uint64_t bytes_ GUARDED_BY(mutex_) = 0;
  std::uint64_t given_back_ GUARDED_BY(mutex_) = 0;
};

RecycledMemory::RecycledMemory(std::uint64_t idle_bytes_max) : idle_(std::make_unique<Idle>(idle_bytes_max)) {}

RecycledMemory::~RecycledMemory() = default;

void* RecycledMemory::take(std::size_t bytes) {
  if (bytes < recycled_bytes_min) return ::operator new(bytes);
  const std::size_t size = rounded(bytes);
  if (void* const idle = idle_->take(size)) return idle;
  void* const fresh = ::operator new(size, alignment);
  use_huge_pages({static_cast<std::byte*>(fresh), bytes});
  return fresh;
}

void RecycledMemory::give_back(void* memory, std::size_t bytes) noexcept {
  if (bytes < recycled_bytes_min) {
    ::operator delete(memory);
    return;
  }
  try {
    idle_->keep(std::unique_ptr<void, Free>(memory), rounded(bytes));
  } catch (const std::bad_alloc&) {  // There was no memory for a node of the map. unique_ptr has freed the piece.
  }
}

RecycledMemory& LoaderMemory::get() {
  // Never destroyed: vectors that use this memory may be destroyed after all static objects.
  static auto& memory = *new RecycledMemory(std::min(memory_of_this_process() / 8, idle_loader_bytes_max));
  return memory;
}

std::shared_ptr<std::byte[]> pooled_buffer(std::size_t bytes) {
  RecycledMemory& memory = LoaderMemory::get();
  return {static_cast<std::byte*>(memory.take(bytes)),
          [&memory, bytes](std::byte* piece) { memory.give_back(piece, bytes); }};
}

}  // namespace carrack::data
