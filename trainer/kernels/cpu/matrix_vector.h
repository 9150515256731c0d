// The product of a matrix and a vector on one thread. The speed of memory limits it, so packing would not pay.
#pragma once

#include "trainer/kernels/cpu/matrix_kernels.h"
#include "trainer/kernels/cpu/matrix_work.h"

namespace carrack::train::cpu {

// Whether B is a column or A is a row, its elements are adjacent, and the elements of C are adjacent, too.
bool is_vector_product(const Product& product);

// Computes the product. is_vector_product(product) must be true.
void multiply_vector(const Kernels& kernels, const Product& product, Workspace& workspace);

}  // namespace carrack::train::cpu
