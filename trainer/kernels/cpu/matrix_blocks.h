// The matrix product of one thread. gemm() (kernels/matrix.h) calls it on each thread for that thread's part of the
// result; convolutions and recurrent layers call it directly. The operands are cut into blocks that fit into the
// caches, packed where that pays (copied, so that each tile reads adjacent memory), and multiplied tile by tile.
#pragma once

#include "trainer/kernels/cpu/matrix_kernels.h"
#include "trainer/kernels/cpu/matrix_work.h"

namespace carrack::train::cpu {

// Computes the product and writes it to product.c, or adds it to product.c with product.accumulate; does nothing if m
// or n is 0. Calls multiply_vector() if is_vector_product() is true (matrix_vector.h). Scratch memory is in
// `workspace`, which any later product may use again. The machine must have the instructions of `kernels`, and
// product.lane_ends must be valid (LaneEnds::require()); neither is checked.
void multiply(const Kernels& kernels, const Product& product, Workspace& workspace);

// Does the same with a workspace of the calling thread, which is freed when the thread ends.
void multiply(const Kernels& kernels, const Product& product);

}  // namespace carrack::train::cpu
