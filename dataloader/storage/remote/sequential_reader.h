// SequentialReader: the ObjectReader of remote objects, which Storage::open() returns for gs://. It reads an object
// from its first byte to its last, and downloads blocks ahead of its caller. The more bytes the caller has to wait for,
// the more blocks are requested in parallel, as far as the memory budget allows; for a caller that reads slowly only a
// few are. For one thread.
//
// Bytes are returned as they arrive, before the checksum of the object can be compared. If it does not match, the
// read() that reaches the last byte throws Error.
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
  // Pool and budget must outlive the reader. `size` is the size of the object in bytes. The first read() sends the
  // first request.
  SequentialReader(FetchPool& pool, MemoryBudget& budget, std::shared_ptr<RemoteObject> object, std::uint64_t size)
      : pool_(pool), memory_(budget), object_(std::move(object)), size_(size) {}
  // Cancels the running requests.
  ~SequentialReader() override;

  ReadResult read(std::span<std::byte> into) override;

 private:
  struct Block {
    MemoryBudget::Block bytes;
    bool is_budgeted = false;  // `bytes` was taken from memory_
    std::shared_ptr<RangeFetch> fetch;
  };

  // Requests the blocks in which the next `bytes` bytes lie, and blocks after them.
  void request_blocks(std::uint64_t bytes);
  // Requests the next `size` bytes of the object.
  void request_block(MemoryBudget::Block bytes, std::uint64_t size, bool is_budgeted);
  // Continues with the next block, after all of the first block was read. Throws Error if that was the last block and
  // the checksum of the object does not match.
  void finish_block();
  // Removes the first block and returns its memory to the budget from which it was taken.
  void drop_block();

  FetchPool& pool_;
  MemoryBudget::Share memory_;
  const std::shared_ptr<RemoteObject> object_;
  const std::uint64_t size_;
  std::uint64_t requested_ = 0;       // number of bytes that were requested; the next block begins there
  std::deque<Block> blocks_;          // requested blocks that have not been read to their end, in order
  std::uint64_t read_of_first_ = 0;   // number of bytes of the first block that have been read
  std::size_t blocks_ahead_ = 1;      // number of blocks that are requested in parallel
  std::uint64_t waited_bytes_ = 0;    // bytes for which the caller waited since blocks_ahead_ was raised
  std::uint64_t finished_bytes_ = 0;  // size of all blocks before the first of blocks_
  std::uint32_t crc32c_ = 0;          // of the finished bytes
};

}  // namespace carrack::data
