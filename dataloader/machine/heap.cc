#include "dataloader/machine/heap.h"

#include <malloc.h>
#include <sys/mman.h>

#include <map>
#include <memory>
#include <new>
#include <utility>

#include "dataloader/mutex.h"

namespace carrack::data {
namespace {

// The address sanitizer sees uses after a free only of blocks that are really freed.
#if defined(__has_feature)  // clang
#if __has_feature(address_sanitizer)
#define CARRACK_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)  // gcc
#define CARRACK_ADDRESS_SANITIZER
#endif

#ifdef CARRACK_ADDRESS_SANITIZER
constexpr std::size_t held_bytes_min = ~std::size_t{0};
#else
constexpr std::size_t held_bytes_min = std::size_t{1} << 20;
#endif

// Freed blocks of one size are a list, and each holds the address of the next.
class FreeBlocks {
 public:
  void* take(std::size_t bytes) {
    const MutexLock lock(mutex_);
    Block*& first = first_[bytes];  // Makes the list, so that put() allocates nothing.
    if (first == nullptr) return nullptr;
    return std::exchange(first, first->next);
  }

  void put(void* block, std::size_t bytes) {
    const MutexLock lock(mutex_);
    Block*& first = first_.find(bytes)->second;
    first = new (block) Block{first};
  }

 private:
  struct Block {
    Block* next;
  };

  Mutex mutex_;
  std::map<std::size_t, Block*> first_ GUARDED_BY(mutex_);
};

FreeBlocks& free_blocks() {
  static auto* const blocks = new FreeBlocks;  // Never destroyed, as other objects free blocks to the end.
  return *blocks;
}

}  // namespace

void use_one_heap() {
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_TOP_PAD, static_cast<int>(heap_slack_bytes));
}

void return_freed_memory() {
  malloc_trim(heap_slack_bytes);
}

void use_huge_pages(std::span<std::byte> memory) {
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  void* begin = memory.data();
  std::size_t size = memory.size();
  if (std::align(huge_page, huge_page, begin, size) == nullptr) return;
  // Fails where the system has no huge pages, which changes nothing but the time.
  ::madvise(begin, size - size % huge_page, MADV_HUGEPAGE);
}

void* allocate_block(std::size_t bytes) {
  if (bytes < held_bytes_min) return ::operator new(bytes);
  if (void* const block = free_blocks().take(bytes)) return block;
  void* const block = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) throw std::bad_alloc();
  use_huge_pages({static_cast<std::byte*>(block), bytes});
  return block;
}

void free_block(void* block, std::size_t bytes) noexcept {
  if (bytes < held_bytes_min) return ::operator delete(block);
  free_blocks().put(block, bytes);
}

}  // namespace carrack::data
