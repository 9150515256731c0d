// Rows in the order of a BlockOrder: a shuffle that reads runs of neighbours. A whole run is read when the first of its
// rows is requested, and each row is held in memory until it is returned. So a caller that reads all places in order
// reads each run once, in long reads. Rows that no call requests, because other processes return them, are held as
// well, up to about the number of rows in the order's window. Beyond that they are dropped.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "dataloader/order/block_order.h"
#include "dataloader/pipeline/sequences/sequence.h"

namespace carrack::data {

// The memory that all block shuffles of a pipeline may use together for the rows that they hold. Each shuffle gets an
// equal share.
class HeldMemory {
 public:
  explicit HeldMemory(std::uint64_t bytes) : bytes_(bytes) {}

  // Counts a user. block_shuffled_sequence() does this, so call that for all shuffles on one thread, before the first
  // read.
  void add_user() { ++users_; }
  // The share of each user. Call it only after the last add_user(), when there is at least one user. Then thread-safe.
  std::uint64_t bytes_per_user() const { return bytes_ / users_; }

 private:
  const std::uint64_t bytes_;
  std::uint64_t users_ = 0;
};

struct HoldOptions {
  std::uint64_t lanes = 1;                       // number of parts of the epoch that are read at the same time; not 0
  std::shared_ptr<HeldMemory> memory = nullptr;  // limits the held bytes; nullptr: no limit
  std::string error_prefix = "";                 // the text of the Refused begins with it
};

// Returns the rows of `rows` in this order. The elements of `rows` must be rows, not batches, and `order` must be for
// rows.size() elements. read() throws Refused if the rows that must be held do not fit into the memory, and what
// reading `rows` throws; a later read() tries again.
// Threads that need the same runs read different runs at the same time. With one lane, a thread that waits for a run
// that another thread is reading reads the next runs meanwhile.
Sequence block_shuffled_sequence(Sequence rows, const BlockOrder& order, HoldOptions options = {});

}  // namespace carrack::data
