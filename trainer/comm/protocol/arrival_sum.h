// Sums one step's gradients as they arrive, each over a run of the batch's lanes, piece by piece. It has the memory of
// one sum, but its bits depend on the order; GradientTree's do not. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "trainer/comm/protocol/gradient_tree.h"
#include "trainer/comm/protocol/piece.h"

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

  // Adds a piece of the gradients over a run, to which `counts` belong. `run` must be valid, and the pieces must be of
  // tails of the same length, which is not 0.
  //
  // The first piece of a later assignment replaces all that was added, as the lanes were divided anew; pieces of an
  // earlier assignment, and of a run that shares lanes with another one, are ignored. Each value of a run is added
  // once: what is there already is skipped, so a run that is sent again goes on where it had stopped. The counts are
  // added with its last value.
  //
  // Returns false, without adding it, if values of the run before this piece are missing.
  [[nodiscard]] bool add(const LaneRun& run, const LaneCounts& counts, Piece piece);

  // The total if the gradients over every lane were added, and then starts anew; else nullopt.
  std::optional<LaneSum> take_total();

  void clear();

 private:
  struct Arrived {
    std::uint32_t end_lane = 0;
    std::size_t values = 0;  // the first of them, which are in the sum
  };

  Arrived* arrived_of(const LaneRun& run);
  void add_values(std::size_t begin, Piece piece);

  std::uint64_t assignment_ = 0;  // the newest
  std::uint32_t lanes_in_batch_ = 0;
  std::uint32_t lanes_added_ = 0;          // of runs that are in the sum with all their values
  std::map<std::uint32_t, Arrived> runs_;  // by first lane
  std::size_t set_ = 0;                    // so many values of the sum are set; those behind are not initialised
  LaneSum sum_;
};

}  // namespace carrack::train
