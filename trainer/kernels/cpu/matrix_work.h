// What one thread computes of a matrix product, and the memory that it needs for that.
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

struct Product {
  std::int64_t m, n, k;
  MatrixView a, b;
  float* c;
  std::int64_t c_row;
  bool accumulate;
  LaneEnds lane_ends;  // As in GemmOptions.
};

// The height of the tree over the lanes.
int levels_of(const LaneEnds& lane_ends);

// Memory that one thread uses for one product after the other. It grows to what the largest of them needs, which is
// bounded (matrix.h).
class Workspace {
 public:
  Workspace() = default;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace();

  // `count` floats at a multiple of 64 bytes, valid until the next call. Their content is undefined.
  float* floats(std::int64_t count);

  // Cuts the product's steps [begin, end) at the ends of its lanes. Valid until the next call.
  std::span<const Segment> segments(const LaneEnds& lane_ends, std::int64_t begin, std::int64_t end);

 private:
  float* floats_ = nullptr;
  std::int64_t size_ = 0;
  std::vector<Segment> segments_;
};

}  // namespace carrack::train::cpu
