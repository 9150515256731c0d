// The part of a matrix product that one thread computes (Product), and the scratch memory of a thread (Workspace).
// gemm(), convolutions and recurrent layers make a Product for each thread, and multiply() (matrix_blocks.h) computes
// it. Convolutions, attention and recurrent layers use Workspaces also for their own arrays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trainer/kernels/cpu/matrix_kernels.h"
#include "trainer/kernels/lanes.h"

namespace carrack::train::cpu {

// A view of a matrix in memory, or of its transpose. Element (i, j) is at data[i * row + j * column]; one of the two
// strides is 1.
struct MatrixView {
  const float* data;
  std::int64_t row, column;
};

// C [m, n] = A [m, k] B [k, n]. Elements of a row of C are adjacent. Owns no memory.
struct Product {
  std::int64_t m, n, k;
  MatrixView a, b;
  float* c;
  std::int64_t c_row;  // elements from one row of C to the next
  bool accumulate;     // whether the product is added to C, as in GemmOptions
  LaneEnds lane_ends;  // as in GemmOptions; a part of a product that is cut along m and n has all of them
};

// The height of the binary tree over the lanes: 3 for 8 lanes, 0 for one lane or without lanes.
int levels_of(const LaneEnds& lane_ends);

// Scratch memory that one thread uses for one product after another. It grows to what the largest of them needs, and
// never shrinks; the destructor frees it. Not thread-safe.
class Workspace {
 public:
  Workspace() = default;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace();

  // Returns memory for `count` floats, aligned to 64 bytes, with undefined content. It is owned by the workspace, and
  // valid until the next call of floats().
  float* floats(std::int64_t count);

  // Cuts the steps [begin, end) along k, which are one block of a product, at the ends of its lanes; without lanes
  // returns one segment. With several blocks, the end of each lane is in the segments of exactly one block. The result
  // is valid until the next call of segments().
  std::span<const Segment> segments(const LaneEnds& lane_ends, std::int64_t begin, std::int64_t end);

 private:
  float* floats_ = nullptr;
  std::int64_t size_ = 0;
  std::vector<Segment> segments_;
};

}  // namespace carrack::train::cpu
