// MemoryBudget: bounds the memory of all readers that read ahead. While several readers exist, none gets a new block
// that would take it beyond an equal share, so that each can get memory; a reader keeps blocks that it took before
// others began. Blocks of the usual size that a reader returns stay allocated for the next reader, because the kernel
// takes as long to provide new memory as it takes to fill it. Safe for many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dataloader/mutex.h"

namespace carrack::data {

class MemoryBudget {
 public:
  struct Free {
    void operator()(std::byte* bytes) const;
  };
  using Block = std::unique_ptr<std::byte[], Free>;
  // Returns an uninitialised block that does not count towards a budget.
  static Block allocate(std::uint64_t bytes);

  // At most `bytes_max` are in use and idle together. Only blocks of exactly `usual_block_bytes` are reused.
  MemoryBudget(std::uint64_t bytes_max, std::uint64_t usual_block_bytes)
      : bytes_max_(bytes_max), usual_block_bytes_(usual_block_bytes) {}

  // The part of the budget that one reader uses. The budget must outlive it. For one thread.
  class Share {
   public:
    explicit Share(MemoryBudget& budget);
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    // Returns null if `bytes` is more than is left of an equal share, or of the budget.
    Block take(std::uint64_t bytes);
    // `bytes` is the size with which the block was taken. Blocks that are not given back count until the Share ends.
    void give_back(Block block, std::uint64_t bytes);

   private:
    MemoryBudget& budget_;
    std::uint64_t used_bytes_ = 0;  // guarded by the budget's mutex
  };

 private:
  // Returns an idle block for reuse, or null, in which case the caller allocates one. Idle blocks all have the usual
  // size: for any other size it returns null, and frees idle blocks until the new block fits into the budget.
  Block take_idle(std::uint64_t bytes) REQUIRES(mutex_);

  const std::uint64_t bytes_max_;
  const std::uint64_t usual_block_bytes_;
  Mutex mutex_;
  std::uint64_t shares_ GUARDED_BY(mutex_) = 0;
  std::uint64_t used_bytes_ GUARDED_BY(mutex_) = 0;
  std::vector<Block> idle_ GUARDED_BY(mutex_);  // returned blocks, all of the usual size
};

}  // namespace carrack::data
