// MemoryBudget: limits the memory of all SequentialReaders of a storage together, which download ahead of their
// callers. Each reader has a Share, from which it takes blocks of memory.
//
// While several readers exist, none gets a new block that would take it beyond an equal share of the budget; a reader
// retains blocks that it took before other readers began. Blocks of the usual size that a reader gives back remain
// allocated for the next reader, because the kernel takes as long to provide new memory as it takes to fill it. Safe
// for many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dataloader/mutex.h"

namespace carrack::data {

class MemoryBudget {
 public:
  // Frees a Block.
  struct Free {
    void operator()(std::byte* bytes) const;
  };
  // Memory with unspecified content, aligned to 2 MiB. It may outlive the budget.
  using Block = std::unique_ptr<std::byte[], Free>;
  // Allocates a block that does not count towards any budget, for a reader that gets none from take() and cannot
  // continue without. Do not pass it to give_back(): it frees itself.
  static Block allocate(std::uint64_t bytes);

  // Blocks in use and idle blocks together have at most `bytes_max` bytes. Only blocks of exactly `usual_block_bytes`
  // are reused.
  MemoryBudget(std::uint64_t bytes_max, std::uint64_t usual_block_bytes)
      : bytes_max_(bytes_max), usual_block_bytes_(usual_block_bytes) {}

  // What one reader uses of the budget. The budget must outlive it. For one thread at a time.
  class Share {
   public:
    explicit Share(MemoryBudget& budget);
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    // Returns a block of `bytes` bytes, which the caller owns. Returns null if that is more than is left of an equal
    // share (bytes_max divided by the number of Shares) or of the budget. Does not wait.
    Block take(std::uint64_t bytes);
    // Returns a block of take() to the budget. `bytes` must be the size with which the block was taken. A block that is
    // destroyed instead counts until the Share is destroyed.
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
  std::uint64_t shares_ GUARDED_BY(mutex_) = 0;  // number of Shares
  std::uint64_t used_bytes_ GUARDED_BY(mutex_) = 0;
  std::vector<Block> idle_ GUARDED_BY(mutex_);  // returned blocks, all of the usual size
};

}  // namespace carrack::data
