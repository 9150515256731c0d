// The product of a matrix and a vector on one thread. Memory limits its speed, so nothing is packed.
#pragma once

#include "trainer/kernels/cpu/matrix_kernels.h"
#include "trainer/kernels/cpu/matrix_work.h"

namespace carrack::train::cpu {

// Whether B is a column or A a row, with adjacent elements, and the elements of C are adjacent, too.
bool is_vector_product(const Product& product);

// is_vector_product(product) must be true.
void multiply_vector(const Kernels& kernels, const Product& product, Workspace& workspace);

}  // namespace carrack::train::cpu
