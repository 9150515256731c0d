// Sums the gradients of one step, piece by piece, in the order in which the pieces arrive. Each gradient is a sum over
// a run of the batch's lanes. This takes the memory of one sum, but rounding depends on the order of arrival; use
// GradientTree (gradient_tree.h) for a total that does not. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "trainer/comm/protocol/gradient_tree.h"
#include "trainer/comm/protocol/piece.h"

namespace carrack::train {

// The lanes [begin, end) of a batch that is cut into `lanes_in_batch` lanes. `assignment` is the number of the
// assignment that gave these lanes to the worker.
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

  // Adds a piece of the gradients over `run`. `counts` belong to the whole run. `run` must be valid, and all pieces
  // must be of tails of the same length, which is not 0.
  //
  // The first piece with a later assignment, or with another `lanes_in_batch`, discards everything that was added,
  // because the lanes were divided again. Ignores pieces of an earlier assignment, and pieces of a run that overlaps a
  // different run. Adds each value of a run only once, so a run may be sent again from its start after its stream
  // broke. Adds `counts` together with the last value of the run.
  //
  // Returns false, and adds nothing, if values of the run before this piece are missing. Returns true for pieces that
  // it ignores.
  [[nodiscard]] bool add(const LaneRun& run, const LaneCounts& counts, Piece piece);

  // Returns the total and empties this object if the gradients over every lane were added; otherwise returns nullopt
  // and changes nothing.
  std::optional<LaneSum> take_total();

  // Discards all sums. Pieces of assignments before the newest one are still ignored after that.
  void clear();

 private:
  struct Arrived {
    std::uint32_t end_lane = 0;
    std::size_t values = 0;  // number of values at the beginning of the run that are in the sum
  };

  Arrived* arrived_of(const LaneRun& run);
  void add_values(std::size_t begin, Piece piece);

  std::uint64_t assignment_ = 0;  // the newest assignment seen
  std::uint32_t lanes_in_batch_ = 0;
  std::uint32_t lanes_added_ = 0;          // number of lanes in the runs whose values are all in the sum
  std::map<std::uint32_t, Arrived> runs_;  // by first lane
  std::size_t set_ = 0;  // number of values at the beginning of sum_ that are set; the others are not initialised
  LaneSum sum_;
};

}  // namespace carrack::train
