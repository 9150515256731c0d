// The sizes of a matrix product, for the operator table and for kernels.
#pragma once

#include <optional>

#include "trainer/graph/operator.h"

namespace carrack::train {

// The product of A' [m, k] and B' [k, n]. A' is A or its transpose, and B' is B or its transpose. A vector counts as a
// matrix with one column.
struct ProductSizes {
  Dimension m, n, k;
};

// Returns the sizes of a MatMul or a Gemm with inputs of these shapes, which must have one or two dimensions. nullopt
// if the inner dimensions differ. The attributes `transA` and `transB` are 0 if they are missing.
std::optional<ProductSizes> product_sizes(const Dimensions& a, const Dimensions& b, const Attributes& attributes);

}  // namespace carrack::train
