// Sums one step's gradients in the order in which they arrive, each over a run of the batch's lanes. It has the memory
// of one sum, but its bits depend on the order; GradientTree's do not. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "trainer/comm/protocol/gradient_tree.h"

namespace carrack::train {

// Which lanes of a batch a sum is over, and by which assignment. A batch of any number of lanes has the same records.
struct LaneRun {
  std::uint64_t assignment = 0;
  std::uint32_t lanes_in_batch = 1;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

class ArrivalSum {
 public:
  // True if `run` holds at least one lane and ends within its batch.
  static bool is_valid(const LaneRun& run) { return run.begin < run.end && run.end <= run.lanes_in_batch; }

  // Adds a sum. `run` must be valid, and all sums must have the same length. The first sum of a later assignment
  // replaces all earlier ones, as the lanes were divided anew; sums of an earlier assignment, and those over lanes that
  // were added already, are ignored.
  void add(const LaneRun& run, LaneSum sum);

  // The total if every lane was added, and then starts anew; else nullopt.
  std::optional<LaneSum> take_total();

  void clear();

 private:
  std::uint64_t assignment_ = 0;  // the newest
  std::uint32_t lanes_in_batch_ = 0;
  std::uint32_t lanes_added_ = 0;
  std::map<std::uint32_t, std::uint32_t> added_;  // begin to end of each run
  std::optional<LaneSum> sum_;
};

}  // namespace carrack::train
