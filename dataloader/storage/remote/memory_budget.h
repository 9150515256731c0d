// The memory that all who read ahead share. None gets more than its part of it while others read too, so that none is
// left without. Blocks of the usual size are kept for whoever comes next: memory that is new costs as much time as
// filling it. For many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace carrack::data {

class MemoryBudget {
 public:
  struct Free {
    void operator()(std::byte* bytes) const;
  };
  using Block = std::unique_ptr<std::byte[], Free>;
  // Of no budget.
  static Block block(std::uint64_t size);

  MemoryBudget(std::uint64_t bytes, std::uint64_t usual_size) : bytes_(bytes), usual_size_(usual_size) {}

  // Of one reader, which the budget outlives.
  class Part {
   public:
    explicit Part(MemoryBudget& budget);
    ~Part();
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

    // None where that is more than its part, or than what is left.
    Block take(std::uint64_t size);
    void give_back(Block block, std::uint64_t size);

   private:
    MemoryBudget& budget_;
    std::uint64_t used_ = 0;  // Guarded by the budget's mutex.
  };

 private:
  const std::uint64_t bytes_;
  const std::uint64_t usual_size_;
  std::mutex mutex_;  // Guards what follows.
  std::uint64_t parts_ = 0;
  std::uint64_t used_ = 0;
  std::vector<Block> kept_;
};

}  // namespace carrack::data
