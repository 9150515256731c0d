#include "dataloader/storage/remote/memory_budget.h"

#include <sys/mman.h>

#include <new>

#include "dataloader/check.h"

namespace carrack::data {
namespace {

constexpr std::size_t large_page = std::size_t{2} << 20;

}  // namespace

void MemoryBudget::Free::operator()(std::byte* bytes) const {
  ::operator delete[](bytes, std::align_val_t(large_page));
}

// Asks for large pages, because the kernel takes longer to provide thousands of small pages than a network takes to
// fill them.
MemoryBudget::Block MemoryBudget::allocate(std::uint64_t bytes) {
  auto* memory = static_cast<std::byte*>(::operator new[](bytes, std::align_val_t(large_page)));
  ::madvise(memory, bytes / large_page * large_page, MADV_HUGEPAGE);
  return Block(memory);
}

MemoryBudget::Block MemoryBudget::take_idle(std::uint64_t bytes) {
  if (bytes != usual_block_bytes_) {
    // A new block will be allocated, and the idle and the used blocks together must remain within the budget.
    while (!idle_.empty() && used_bytes_ + idle_.size() * usual_block_bytes_ > bytes_max_) idle_.pop_back();
    return nullptr;
  }
  if (idle_.empty()) return nullptr;
  Block block = std::move(idle_.back());
  idle_.pop_back();
  return block;
}

MemoryBudget::Share::Share(MemoryBudget& budget) : budget_(budget) {
  const MutexLock lock(budget_.mutex_);
  ++budget_.shares_;
}

MemoryBudget::Share::~Share() {
  const MutexLock lock(budget_.mutex_);
  CHECK_GT(budget_.shares_, 0u);
  CHECK_GE(budget_.used_bytes_, used_bytes_);
  --budget_.shares_;
  budget_.used_bytes_ -= used_bytes_;
}

MemoryBudget::Block MemoryBudget::Share::take(std::uint64_t bytes) {
  Block block;
  {
    const MutexLock lock(budget_.mutex_);
    const std::uint64_t share = budget_.bytes_max_ / budget_.shares_;
    if (used_bytes_ + bytes > share || budget_.used_bytes_ + bytes > budget_.bytes_max_) return nullptr;
    used_bytes_ += bytes;
    budget_.used_bytes_ += bytes;
    CHECK_LE(budget_.used_bytes_, budget_.bytes_max_);
    block = budget_.take_idle(bytes);
  }
  return block ? std::move(block) : allocate(bytes);
}

void MemoryBudget::Share::give_back(Block block, std::uint64_t bytes) {
  const MutexLock lock(budget_.mutex_);
  CHECK_GE(used_bytes_, bytes);
  used_bytes_ -= bytes;
  budget_.used_bytes_ -= bytes;
  if (bytes == budget_.usual_block_bytes_) budget_.idle_.push_back(std::move(block));
}

}  // namespace carrack::data
