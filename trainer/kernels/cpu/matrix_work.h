// The part of a matrix product that one thread computes, and the memory that it needs for that.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trainer/kernels/cpu/matrix_kernels.h"
#include "trainer/kernels/lanes.h"

namespace carrack::train::cpu {

// Element (i, j) is at data[i * row + j * column]; one of the two strides is 1.
struct MatrixView {
  const float* data;
  std::int64_t row, column;
};

// C [m, n] = A [m, k] B [k, n]. Elements of a row of C are adjacent.
struct Product {
  std::int64_t m, n, k;
  MatrixView a, b;
  float* c;
  std::int64_t c_row;
  bool accumulate;
  LaneEnds lane_ends;  // as in GemmOptions; a part of a product that is cut along m and n has all of them
};

// The height of the tree over the lanes; 0 without lanes.
int levels_of(const LaneEnds& lane_ends);

// Memory that one thread uses for one product after another. It grows to what the largest of them needs, and never
// shrinks. Not thread-safe.
class Workspace {
 public:
  Workspace() = default;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace();

  // Returns memory for `count` floats, aligned to 64 bytes, with undefined content. It is valid until the next call of
  // floats().
  float* floats(std::int64_t count);

  // Cuts the steps [begin, end) of a product at the ends of its lanes. With several blocks along k, the end of each
  // lane is in the segments of exactly one block. The result is valid until the next call of segments().
  std::span<const Segment> segments(const LaneEnds& lane_ends, std::int64_t begin, std::int64_t end);

 private:
  float* floats_ = nullptr;
  std::int64_t size_ = 0;
  std::vector<Segment> segments_;
};

}  // namespace carrack::train::cpu
