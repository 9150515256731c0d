// The product of a matrix and a vector on one thread: bound by memory, so nothing is packed.
#pragma once

#include "trainer/kernels/cpu/matrix_kernels.h"
#include "trainer/kernels/cpu/matrix_work.h"

namespace carrack::train::cpu {

// Whether B is a column, or A a row, and all elements of it and of C are adjacent.
bool is_vector_product(const Product& product);

// Only for such a product.
void multiply_vector(const Kernels& kernels, const Product& product, Workspace& workspace);

}  // namespace carrack::train::cpu
