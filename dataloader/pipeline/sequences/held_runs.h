// Rows in the order of a BlockOrder: a shuffle that reads runs of neighbours. A run is read at once, when the first of
// its rows is requested, and each row is held in memory until it is returned. So a caller that reads all places in
// order reads each run once, in long reads. Rows may be read and never requested, because other processes return them.
// These are held as well, up to about the number of rows in the order's window; beyond that they are dropped.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "dataloader/order/block_order.h"
#include "dataloader/pipeline/sequences/sequence.h"

namespace carrack::data {

// The memory that all block shuffles of a pipeline may use together for the rows that they hold. Each gets an equal
// share.
class HeldMemory {
 public:
  explicit HeldMemory(std::uint64_t bytes) : bytes_(bytes) {}

  // Counts a user. Each call of block_shuffled_sequence() does so; make these calls on one thread, before reading.
  void add_user() { ++users_; }
  // Call after the last add_user(), of which there is at least one. Safe from any thread.
  std::uint64_t bytes_per_user() const { return bytes_ / users_; }

 private:
  const std::uint64_t bytes_;
  std::uint64_t users_ = 0;
};

struct HoldOptions {
  std::uint64_t lanes = 1;                       // parts of the epoch that are read at the same time
  std::shared_ptr<HeldMemory> memory = nullptr;  // limits the held bytes; nullptr: no limit
  std::string error_prefix = "";                 // begins the text of the Refused below
};

// A sequence of the rows of `rows` in this order. `rows` must have rows as elements, not batches, and `order` must be
// for rows.size() of them. read() throws Refused if the rows that must be held do not fit into the memory.
// Safe from any thread: threads that need the same runs read different ones. With one lane, a thread that waits for a
// run that another thread is reading reads the next runs meanwhile.
Sequence block_shuffled_sequence(Sequence rows, const BlockOrder& order, HoldOptions options = {});

}  // namespace carrack::data
