// The product of a matrix and a vector on one thread. multiply() (matrix_blocks.h) calls it for such products: the
// speed of memory limits them, so cutting the operands into blocks and packing them would not pay.
#pragma once

#include "trainer/kernels/cpu/matrix_kernels.h"
#include "trainer/kernels/cpu/matrix_work.h"

namespace carrack::train::cpu {

// Returns whether multiply_vector() can compute the product: B is a column or A is a row, its elements are adjacent in
// memory, and so are the elements of C.
bool is_vector_product(const Product& product);

// Computes the product and writes it to product.c, or adds it to product.c with product.accumulate.
// is_vector_product(product) must be true, which is not checked. Uses `workspace` only if the product has lanes.
void multiply_vector(const Kernels& kernels, const Product& product, Workspace& workspace);

}  // namespace carrack::train::cpu
