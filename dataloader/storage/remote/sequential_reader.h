// SequentialReader: reads an object from its first byte to its last, ahead of its caller. While the caller has to wait,
// more and more blocks are requested in parallel, as far as the memory budget allows; a caller that reads slowly leaves
// it at a few. Bytes are handed out as they arrive. For one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "dataloader/storage/remote/fetch_pool.h"
#include "dataloader/storage/remote/memory_budget.h"
#include "dataloader/storage/remote/remote_object.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

class SequentialReader : public ObjectReader {
 public:
  // Pool and budget must outlive the reader. The object has `size` bytes.
  SequentialReader(FetchPool& pool, MemoryBudget& budget, std::shared_ptr<RemoteObject> object, std::uint64_t size)
      : pool_(pool), memory_(budget), object_(std::move(object)), size_(size) {}
  // Cancels the requests that are out.
  ~SequentialReader() override;

  ReadResult read(std::span<std::byte> into) override;

 private:
  struct Block {
    MemoryBudget::Block bytes;
    bool is_budgeted = false;
    std::shared_ptr<RangeFetch> fetch;
  };

  // Requests the blocks that the next `bytes` bytes lie in, and blocks behind them.
  void request_blocks(std::uint64_t bytes);
  void request_block(MemoryBudget::Block bytes, std::uint64_t size, bool is_budgeted);
  // Goes on to the next block, after all of the first was read.
  void finish_block();
  void drop_block();

  FetchPool& pool_;
  MemoryBudget::Share memory_;
  const std::shared_ptr<RemoteObject> object_;
  const std::uint64_t size_;
  std::uint64_t requested_ = 0;       // Where the next block begins.
  std::deque<Block> blocks_;          // In the order of the object.
  std::uint64_t read_of_first_ = 0;   // bytes of the first block
  std::size_t blocks_ahead_ = 1;      // How many blocks are requested in parallel.
  std::uint64_t waited_bytes_ = 0;    // Bytes that were waited for since blocks_ahead_ was raised last.
  std::uint64_t finished_bytes_ = 0;  // Of all blocks before the first.
  std::uint32_t crc32c_ = 0;          // Of those.
};

}  // namespace carrack::data
