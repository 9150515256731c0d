// The sizes m, n and k of the operators MatMul and Gemm. Used by their shape inference (matrix.cc), by the executor
// when it prepares the kernel of the product, and by the reference evaluator (trainer/reference).
#pragma once

#include <optional>

#include "trainer/graph/operator.h"

namespace carrack::train {

// The product of A' [m, k] and B' [k, n], where A' is A or its transpose, and B' is B or its transpose. For example, A
// [rows, 784] and B [784, 10] have m = rows, n = 10 and k = 784.
struct ProductSizes {
  Dimension m, n, k;
};

// Returns the sizes for inputs of the shapes `a` and `b`; nullopt if the inner dimensions differ, so that there is no
// product. Both must have one or two dimensions, which is not checked. A vector [k] counts as a matrix [k, 1]. Reads
// the attributes `transA` and `transB`; one that is missing counts as 0, which means not transposed.
std::optional<ProductSizes> product_sizes(const Dimensions& a, const Dimensions& b, const Attributes& attributes);

}  // namespace carrack::train
