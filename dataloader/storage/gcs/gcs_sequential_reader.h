// An object in turn, read ahead of who reads it: as long as that one has to wait, ever more blocks are on the way at
// once, each with a request of its own, as far as the budget goes. Bytes are handed out as they come. Who reads slowly
// holds the reading back; who ends early ends it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "dataloader/storage/gcs/gcs_fetch_pool.h"
#include "dataloader/storage/gcs/gcs_object.h"
#include "dataloader/storage/remote/memory_budget.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

class GcsReader : public ObjectReader {
 public:
  // Fetcher and budget must outlive it. The object has `size` bytes.
  GcsReader(GcsFetcher& fetcher, MemoryBudget& budget, std::shared_ptr<GcsObject> object, std::uint64_t size)
      : fetcher_(fetcher), memory_(budget), object_(std::move(object)), size_(size) {}
  ~GcsReader() override;

  ReadResult read(std::span<std::byte> into) override;

 private:
  struct Block {
    MemoryBudget::Block bytes;
    bool of_budget = false;
    std::shared_ptr<GcsFetch> fetch;
  };

  // For what is wanted now, and for what comes behind it.
  void ask_ahead(std::uint64_t wanted);
  void ask(MemoryBudget::Block bytes, std::uint64_t size, bool of_budget);
  void leave_block();
  void drop_block();

  GcsFetcher& fetcher_;
  MemoryBudget::Part memory_;
  const std::shared_ptr<GcsObject> object_;
  const std::uint64_t size_;
  std::uint64_t asked_ = 0;   // Up to there all is on the way, or was read.
  std::deque<Block> blocks_;  // In turn.
  std::uint64_t taken_ = 0;   // Of the first block.
  std::size_t ahead_ = 1;     // Blocks on the way at once.
  std::uint64_t waited_ = 0;  // Bytes that were waited for since that was last raised.
  std::uint32_t crc32c_ = 0;  // Of the blocks that were left.
  std::uint64_t left_behind_ = 0;
};

}  // namespace carrack::data
