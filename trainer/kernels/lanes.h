// A batch is cut into lanes, a power of two, whatever the number of workers; each lane gives one sum of gradients, and
// they are added up along a fixed binary tree over the lane numbers. So the total has the same bits however lanes are
// spread over workers and devices, and in whatever order their sums arrive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trainer/kernels/range.h"

namespace carrack::train {

// The part of [0, total) that is the index-th of `parts`: sizes differ by one at most, the first parts are the larger.
// So the lanes of a worker, and the records of a lane, also in a last, short batch.
Range equal_part(std::int64_t total, std::int64_t parts, std::int64_t index);

// The lanes below one node of the tree: `size` is a power of two, and `begin` a multiple of it.
struct Subtree {
  int begin = 0;
  int size = 1;
  bool operator==(const Subtree&) const = default;
};

// The fewest subtrees that a run of lanes falls into, in order. With `lanes` = 8, [1, 6) is 1, 2-3, 4-5.
std::vector<Subtree> aligned_subtrees(Range run);

// Sums of subtrees of one batch, joined as soon as both halves of a node are there. Holds at most one vector for each
// two lanes, for lanes added in order one for each level of the tree. Vectors are used again, not allocated anew.
class TreeSum {
 public:
  // Throws a bug unless `lanes` is a power of two.
  TreeSum(int lanes, std::size_t size);

  // A vector of the right size to write a lane's sum into; what is in it is left from before.
  std::vector<float> buffer();

  // Throws a bug for a subtree that is none, values of another size, or a lane that was added before.
  void add(Subtree subtree, std::vector<float> values);

  bool complete() const { return !held_[1].empty(); }
  // Of all lanes; throws a bug unless complete.
  std::span<const float> total() const;

  // What is held now: one sum for each maximal subtree of what was added, in the order of lanes.
  struct Partial {
    Subtree subtree;
    std::span<const float> values;
  };
  std::vector<Partial> partials() const;

  // Forgets the batch and keeps the memory.
  void clear();

 private:
  int lanes_;
  std::size_t size_;
  // Node 1 is the root, 2n and 2n + 1 the halves of n, lanes_ + i is lane i. An empty vector: not held.
  std::vector<std::vector<float>> held_;
  std::vector<bool> added_;  // By lane.
  std::vector<std::vector<float>> free_;
};

}  // namespace carrack::train
