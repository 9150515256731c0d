// ArrivalSum adds up the gradients of one step for ParameterServer (parameter_server.h), in the order in which they
// arrive from workers. A batch is cut into lanes (equal shares), and each worker sends one gradient, summed over the
// lanes that it was assigned, in pieces (parts of the values). ArrivalSum needs the memory of one sum only, but
// rounding depends on the order of arrival; for jobs that are `deterministic`, GradientTree (gradient_tree.h) gives a
// total that does not depend on it. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "trainer/comm/protocol/gradient_tree.h"
#include "trainer/comm/protocol/piece.h"

namespace carrack::train {

// The lanes [begin, end) of a batch that is cut into `lanes_in_batch` lanes. `assignment` is the number of the
// coordinator's assignment of lanes to workers that this worker used; later assignments have higher numbers.
struct LaneRun {
  std::uint64_t assignment = 0;
  std::uint32_t lanes_in_batch = 1;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

class ArrivalSum {
 public:
  // True if `run` has at least one lane and ends within its batch.
  static bool is_valid(const LaneRun& run) { return run.begin < run.end && run.end <= run.lanes_in_batch; }

  // Adds a piece of the gradient over `run`. The pieces of a run must arrive in order. `counts` belong to the whole
  // run, and are added together with its last value. `run` must be valid, and all pieces must be of gradients with the
  // same number of values, which is not 0.
  // - The first piece with a later assignment, or with another `lanes_in_batch`, discards everything that was added,
  //   because the lanes were divided again.
  // - It ignores pieces of an earlier assignment, pieces of a run that overlaps a different run, and values that were
  //   added before. So a worker may send a run again from its start after its stream broke.
  // Returns false, and adds nothing, if values of the run before this piece are missing. Otherwise returns true, also
  // for pieces that it ignores.
  [[nodiscard]] bool add(const LaneRun& run, const LaneCounts& counts, Piece piece);

  // Returns the total and empties this object, if the gradients over every lane of the batch are complete; otherwise
  // returns nullopt and changes nothing.
  std::optional<LaneSum> take_total();

  // Discards all sums. Pieces of assignments before the newest one are still ignored afterwards.
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
