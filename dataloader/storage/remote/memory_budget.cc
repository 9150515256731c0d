#include "dataloader/storage/remote/memory_budget.h"

#include <sys/mman.h>

#include <new>

namespace carrack::data {
namespace {

constexpr std::size_t large_page = std::size_t{2} << 20;

}  // namespace

void MemoryBudget::Free::operator()(std::byte* bytes) const {
  ::operator delete[](bytes, std::align_val_t(large_page));
}

// In large pages where the machine has them: the kernel takes longer to make thousands of small ones than a network to
// fill them.
MemoryBudget::Block MemoryBudget::block(std::uint64_t size) {
  auto* bytes = static_cast<std::byte*>(::operator new[](size, std::align_val_t(large_page)));
  ::madvise(bytes, size / large_page * large_page, MADV_HUGEPAGE);
  return Block(bytes);
}

MemoryBudget::Part::Part(MemoryBudget& budget) : budget_(budget) {
  const std::lock_guard lock(budget_.mutex_);
  ++budget_.parts_;
}

MemoryBudget::Part::~Part() {
  const std::lock_guard lock(budget_.mutex_);
  --budget_.parts_;
  budget_.used_ -= used_;
}

MemoryBudget::Block MemoryBudget::Part::take(std::uint64_t size) {
  Block block;
  {
    const std::lock_guard lock(budget_.mutex_);
    if (used_ + size > budget_.bytes_ / budget_.parts_ || budget_.used_ + size > budget_.bytes_) return nullptr;
    used_ += size;
    budget_.used_ += size;
    if (size != budget_.usual_size_) {
      // What is kept, and what is used, are within the budget together.
      while (!budget_.kept_.empty() && budget_.used_ + budget_.kept_.size() * budget_.usual_size_ > budget_.bytes_)
        budget_.kept_.pop_back();
    } else if (!budget_.kept_.empty()) {
      block = std::move(budget_.kept_.back());
      budget_.kept_.pop_back();
    }
  }
  return block ? std::move(block) : MemoryBudget::block(size);
}

void MemoryBudget::Part::give_back(Block block, std::uint64_t size) {
  const std::lock_guard lock(budget_.mutex_);
  used_ -= size;
  budget_.used_ -= size;
  if (size == budget_.usual_size_) budget_.kept_.push_back(std::move(block));
}

}  // namespace carrack::data
