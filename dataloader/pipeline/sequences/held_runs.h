// Rows in a BlockOrder: a shuffle that reads runs of neighbours. A run is read at once, when the first of its rows is
// requested, and each of its rows is held in memory until it is returned. So a caller that reads all places in order
// reads each run once, in long reads. Rows that are read and never requested, because other processes return them, are
// held too, up to about the number of rows in the order's window; beyond that they are dropped.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "dataloader/order/block_order.h"
#include "dataloader/pipeline/sequences/sequence.h"

namespace carrack::data {

// The memory that the block shuffles of a pipeline may use for the rows they hold, shared equally.
class HeldMemory {
 public:
  explicit HeldMemory(std::uint64_t bytes) : bytes_(bytes) {}

  // Call once for each user, while the pipeline is opened and by one thread.
  void add_user() { ++users_; }
  // Call once all users are added; there is at least one. Safe from any thread.
  std::uint64_t bytes_per_user() const { return bytes_ / users_; }

 private:
  const std::uint64_t bytes_;
  std::uint64_t users_ = 0;
};

struct HoldOptions {
  std::uint64_t lanes = 1;                       // parts of the epoch that are read side by side
  std::shared_ptr<HeldMemory> memory = nullptr;  // the limit in bytes; nullptr: none
  std::string error_prefix = "";                 // of the Refused below
};

// The sequence has as many rows as the order. Safe from any thread: a thread reads the runs that no other thread is
// reading. While it waits for a run that another thread is reading it reads the ones that come next, unless there are
// lanes. read() throws a Refused if the rows that must be held do not fit into the memory.
Sequence block_shuffled_sequence(Sequence rows, const BlockOrder& order, HoldOptions options = {});

}  // namespace carrack::data
