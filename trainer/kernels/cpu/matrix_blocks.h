// The matrix product of one thread: operands are cut into blocks that fit into the caches, packed, and multiplied tile
// by tile. Products of a matrix and a vector are left to matrix_vector.h.
#pragma once

#include "trainer/kernels/cpu/matrix_kernels.h"
#include "trainer/kernels/cpu/matrix_work.h"

namespace carrack::train::cpu {

// Computes the product, in memory of `workspace`, which the next product may use again. Does nothing if m or n is 0.
// The machine must have the instructions of `kernels`.
void multiply(const Kernels& kernels, const Product& product, Workspace& workspace);

// Does the same in a workspace that belongs to the calling thread and exists until the thread ends.
void multiply(const Kernels& kernels, const Product& product);

}  // namespace carrack::train::cpu
