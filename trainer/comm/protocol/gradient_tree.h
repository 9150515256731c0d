// GradientTree: sums the gradients of one step on a parameter server, if the result must not depend on the number of
// workers (spec.training.deterministic). Each batch is divided into lanes, and workers send sums over neighbouring
// lanes. The tree adds these along a fixed binary tree over the lane numbers. So the total has the same bits no matter
// which worker computed which lanes, in which order the sums arrive, and whether some arrive twice. Not thread-safe.
// Other Sync jobs use ArrivalSum (arrival_sum.h); Async applies each gradient by itself.
//
//   GradientTree tree(4);
//   tree.add({.begin = 2, .size = 2}, b);  // lanes 2 and 3
//   tree.take_total();                     // nullopt: lanes 0 and 1 are missing
//   tree.add({.begin = 0, .size = 2}, a);
//   tree.take_total();                     // a + b; the tree is empty again, ready for the next step
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "trainer/comm/protocol/skipped.h"
#include "trainer/kernels/floats.h"
#include "trainer/kernels/lanes.h"

namespace carrack::train {

// The records from which a sum of gradients was computed.
struct LaneCounts {
  std::uint64_t records = 0;  // without the skipped ones
  double loss = 0;            // the sum of the losses of these records
  Skipped skipped = {};       // records that were left out
  bool operator==(const LaneCounts&) const = default;
};

// Adds `other` to `counts`.
void add_to(LaneCounts& counts, const LaneCounts& other);

// The sum of the gradients of some lanes, or in Async of a whole batch, over one server's range of the parameters.
struct LaneSum {
  Floats sum;  // an element for each parameter of the range
  LaneCounts counts = {};
  bool operator==(const LaneSum&) const = default;
};

// Adds `other` to `sum`, element by element. A CHECK fails if their vectors have different lengths.
void add_to(LaneSum& sum, const LaneSum& other);

class GradientTree {
 public:
  // `lanes` must be a power of two.
  explicit GradientTree(int lanes) : lanes_(lanes) {}

  // True if `subtree` is a subtree of this tree: its size is a power of two, it begins at a multiple of its size, and
  // all its lanes exist. Call it for a subtree from a message, because a CHECK in add() fails for any other.
  bool fits(Subtree subtree) const;

  // Adds `part`, the sum over the lanes of `subtree`. Ignores it if the tree has all of these lanes already. If the
  // tree has some of them, `part` replaces their sums. All sums must have the same length.
  void add(Subtree subtree, LaneSum part);

  // If the tree has all lanes, returns the total and empties the tree. Otherwise returns nullopt and changes nothing.
  std::optional<LaneSum> take_total();

  // Drops all sums.
  void clear() { parts_.clear(); }

 private:
  int lanes_;
  std::map<std::pair<int, int>, LaneSum> parts_;  // by first lane and number of lanes; disjoint
};

}  // namespace carrack::train
