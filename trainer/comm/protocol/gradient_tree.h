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

// The totals that are reported with a sum of gradients.
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

  // True if `subtree` is one of the tree over these lanes. Only such subtrees may be added.
  bool fits(Subtree subtree) const;

  // Adds the sum over the lanes of `subtree`. Ignores it if the tree has all of these lanes already; otherwise it
  // replaces smaller parts that it contains. All sums must have the same length.
  void add(Subtree subtree, LaneSum part);

  // Returns the total, and empties the tree, if it has every lane; else nullopt, with no effect.
  std::optional<LaneSum> take_total();

  void clear() { parts_.clear(); }

 private:
  int lanes_;
  std::map<std::pair<int, int>, LaneSum> parts_;  // by first lane and number of lanes; disjoint
};

}  // namespace carrack::train
