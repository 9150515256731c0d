// Sums one step's gradients over all lanes in a fixed binary tree over lane numbers. The total has the same bits no
// matter which worker computed which lanes, in which order the parts arrive, and whether some arrive twice. Not
// thread-safe.
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

// Totals that belong to a sum of gradients.
struct LaneCounts {
  std::uint64_t records = 0;
  double loss = 0;  // a sum over the records
  Skipped skipped = {};
  bool operator==(const LaneCounts&) const = default;
};

void add_to(LaneCounts& counts, const LaneCounts& other);

struct LaneSum {
  Floats sum;
  LaneCounts counts = {};
  bool operator==(const LaneSum&) const = default;
};

// Adds `other` to `sum`. Their vectors must have the same length.
void add_to(LaneSum& sum, const LaneSum& other);

class GradientTree {
 public:
  // `lanes` must be a power of two.
  explicit GradientTree(int lanes) : lanes_(lanes) {}

  // True if `subtree` is one of the subtrees of this tree. add() takes no others.
  bool fits(Subtree subtree) const;

  // Adds `part`, the sum over the lanes of `subtree`. Ignores it if all of these lanes were added already. Otherwise it
  // replaces those parts of it that were added before. All sums must have the same length.
  void add(Subtree subtree, LaneSum part);

  // Returns the total and empties the tree if all lanes were added; otherwise returns nullopt and changes nothing.
  std::optional<LaneSum> take_total();

  void clear() { parts_.clear(); }

 private:
  int lanes_;
  std::map<std::pair<int, int>, LaneSum> parts_;  // by first lane and number of lanes; disjoint
};

}  // namespace carrack::train
