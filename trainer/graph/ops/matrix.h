// The sizes of a matrix product, for the operator table and for kernels. Pure.
#pragma once

#include <optional>

#include "trainer/graph/operator.h"

namespace carrack::train {

// The product of A' [m, k] and B' [k, n], which are A and B, or their transposes. A vector stands for a matrix of one
// column.
struct ProductSizes {
  Dimension m, n, k;
};

// Of a MatMul or a Gemm; nullopt if the inputs do not fit.
std::optional<ProductSizes> product_sizes(const Dimensions& a, const Dimensions& b, const Attributes& attributes);

}  // namespace carrack::train
