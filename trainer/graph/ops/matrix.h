// The sizes of a matrix product, for the operator table and for kernels. Pure.
#pragma once

#include <optional>

#include "trainer/graph/operator.h"

namespace carrack::train {

// The product of A' [m, k] and B' [k, n]. A' is A or its transpose, and B' is B or its transpose. A vector stands for a
// matrix of one column.
struct ProductSizes {
  Dimension m, n, k;
};

// Returns the sizes of a MatMul or a Gemm with inputs of these shapes, which have one or two dimensions. nullopt if the
// inner dimensions differ.
std::optional<ProductSizes> product_sizes(const Dimensions& a, const Dimensions& b, const Attributes& attributes);

}  // namespace carrack::train
