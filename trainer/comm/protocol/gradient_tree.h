// The sum of one step's gradients over all lanes, formed in a fixed binary tree over lane numbers: whoever computed
// which lanes, in whatever order the parts arrive, and however often, the total has the same bits. Unlike TreeSum,
// which one worker fills, it takes parts of workers that died, woke up, or computed the same lanes twice.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "trainer/kernels/lanes.h"

namespace carrack::train {

struct LaneSum {
  std::vector<float> sum;
  std::uint64_t records = 0;
  double loss = 0;
};

class GradientTree {
 public:
  // `lanes` is a power of two.
  explicit GradientTree(int lanes) : lanes_(lanes) {}

  // Whether it is a subtree of these lanes; others must not be added.
  bool fits(Subtree subtree) const;

  // Takes a part unless what it sums is here already. A part that holds smaller ones replaces them.
  void add(Subtree subtree, LaneSum part);

  // The total once every lane is in it; the tree is empty after.
  std::optional<LaneSum> take_total();

  void clear() { parts_.clear(); }

 private:
  int lanes_;
  std::map<std::pair<int, int>, LaneSum> parts_;  // By first lane and number of lanes.
};

}  // namespace carrack::train
