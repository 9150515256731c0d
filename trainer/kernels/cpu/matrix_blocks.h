// The matrix product of one thread: cut into blocks that fit into the caches, packed, and computed tile by tile.
#pragma once

#include "trainer/kernels/cpu/matrix_kernels.h"
#include "trainer/kernels/cpu/matrix_work.h"

namespace carrack::train::cpu {

// The memory of `workspace` is reused by the next product.
void multiply(const Kernels& kernels, const Product& product, Workspace& workspace);

// Uses a workspace that belongs to the calling thread.
void multiply(const Kernels& kernels, const Product& product);

}  // namespace carrack::train::cpu
