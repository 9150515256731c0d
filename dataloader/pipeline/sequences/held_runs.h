// block_shuffled_sequence(): a block shuffle that reads each row once. (A block shuffle reads runs of neighbouring rows
// and returns the rows of several runs mixed, see block_order.h.) When the first row of a run is requested, the whole
// run is read in one long read, and its rows stay in memory until they are returned. So a caller that reads all places
// in order reads each run once. Rows that no call requests, because other processes return them, stay in memory as
// well, up to about twice the number of rows in the order's window. Beyond that, the least recently used runs are
// dropped.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "dataloader/order/block_order.h"
#include "dataloader/pipeline/sequences/sequence.h"

namespace carrack::data {

// The limit of the memory that all block shuffles of a pipeline together may use for their rows. Each shuffle gets an
// equal share. This allocates nothing; it only has the numbers.
class ShuffleMemory {
 public:
  explicit ShuffleMemory(std::uint64_t bytes) : bytes_(bytes) {}

  // Counts a shuffle. block_shuffled_sequence() calls this, so make all shuffles on one thread, before the first read.
  void add_user() { ++users_; }
  // The share of each shuffle. Call it only after the last add_user(); there must have been at least one. Then
  // thread-safe.
  std::uint64_t bytes_per_user() const { return bytes_ / users_; }

 private:
  const std::uint64_t bytes_;
  std::uint64_t users_ = 0;
};

struct BlockShuffleOptions {
  std::uint64_t lanes = 1;  // number of parts of the epoch that are read at the same time; not 0
  std::shared_ptr<ShuffleMemory> memory = nullptr;  // limits the bytes of rows in memory; nullptr: no limit
  std::string error_prefix = "";                    // the text of the Refused begins with it
};

// Returns a sequence of the rows of `rows` in this order. The elements of `rows` must be rows, not batches, and `order`
// must be for rows.size() elements. read() throws Refused if the rows that must stay in memory do not fit into the
// memory, and any exception of reading `rows`; a later read() tries again. Threads that need the same runs read
// different runs at the same time. With one lane, a thread that waits for a run that another thread is reading reads
// the next runs meanwhile.
Sequence block_shuffled_sequence(Sequence rows, const BlockOrder& order, BlockShuffleOptions options = {});

}  // namespace carrack::data
