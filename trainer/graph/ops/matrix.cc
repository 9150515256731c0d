#include "trainer/graph/ops/matrix.h"

#include <utility>

#include "trainer/graph/backward.h"

namespace carrack::train {
namespace {

bool is_transposed(const Attributes& attributes, std::string_view name) {
  return attributes.get_or<std::int64_t>(name, 0) != 0;
}

// Returns the numbers of rows and columns of the matrix, or of its transpose. A vector counts as one column.
std::pair<Dimension, Dimension> sizes_of(const Dimensions& matrix, bool transposed) {
  const Dimension rows = matrix[0], columns = matrix.size() == 2 ? matrix[1] : Dimension(1);
  return transposed ? std::pair(columns, rows) : std::pair(rows, columns);
}

bool is_matrix_or_vector(const Dimensions& shape) {
  return shape.size() == 1 || shape.size() == 2;
}

// Returns the shape of the product. As in ONNX, the product with a vector is a vector.
Dimensions product_shape(const ProductSizes& sizes, const Dimensions& b, bool b_transposed) {
  if (b.size() == 1 && !b_transposed) return {sizes.m};
  return {sizes.m, sizes.n};
}

Outputs infer_matmul(const Application& application) {
  const Value &a = *application.inputs[0], &b = *application.inputs[1];
  if (a.shape.size() != 2 || !is_matrix_or_vector(b.shape)) {
    return Misfit{"needs two dimensions on the left, and one or two on the right"};
  }
  const auto sizes = product_sizes(a.shape, b.shape, application.attributes);
  if (!sizes) {
    return Misfit{"the last dimension of `" + a.name + "` and the first of `" + b.name + "` must be the same"};
  }
  return std::vector<TypedShape>{{Type::float32, product_shape(*sizes, b.shape, false)}};
}

Outputs infer_gemm(const Application& application) {
  const Value &a = *application.inputs[0], &b = *application.inputs[1];
  if (!is_matrix_or_vector(a.shape) || !is_matrix_or_vector(b.shape)) return Misfit{"needs matrices or vectors"};
  const auto sizes = product_sizes(a.shape, b.shape, application.attributes);
  if (!sizes) return Misfit{"the inner dimensions of the product must be the same"};
  const bool b_transposed = is_transposed(application.attributes, "transB");
  return std::vector<TypedShape>{{Type::float32, product_shape(*sizes, b.shape, b_transposed)}};
}

// The product is C = A' B', where A' is A, or its transpose A^T with transA; the same holds for B' and transB. So the
// gradients are dA' = dC B'^T and dB' = A'^T dC. With transA, dA is the transpose of dA', which is B' dC^T. With
// transB, dB is the transpose of dB', which is dC^T A'.
void product_gradient(Backward& backward, const Node& node, std::span<const std::optional<ValueId>> of) {
  const bool ta = is_transposed(node.attributes, "transA"), tb = is_transposed(node.attributes, "transB");
  const ValueId a = node.inputs[0], b = node.inputs[1], c = *of[0];
  const auto product = [&](ValueId left, bool left_transposed, ValueId right, bool right_transposed, ValueId target) {
    backward.add(
        target,
        backward.emit("Gemm", {{"transA", std::int64_t{left_transposed}}, {"transB", std::int64_t{right_transposed}}},
                      {left, right}, target));
  };
  if (backward.is_needed(a)) ta ? product(b, tb, c, true, a) : product(c, false, b, !tb, a);
  if (backward.is_needed(b)) tb ? product(c, true, a, ta, b) : product(a, !ta, c, false, b);
}

constexpr std::string_view gemm_attributes[] = {"transA", "transB"};

constexpr Operator operators[] = {
    {"MatMul", two_floats, {}, infer_matmul, product_gradient},
    // ONNX's input C and attributes alpha and beta do not exist here. Inputs may also be vectors.
    {"Gemm", two_floats, gemm_attributes, infer_gemm, product_gradient},
};

}  // namespace

std::optional<ProductSizes> product_sizes(const Dimensions& a, const Dimensions& b, const Attributes& attributes) {
  const auto [m, a_inner] = sizes_of(a, is_transposed(attributes, "transA"));
  const auto [b_inner, n] = sizes_of(b, is_transposed(attributes, "transB"));
  if (a_inner != b_inner) return std::nullopt;
  return ProductSizes{m, n, a_inner};
}

std::span<const Operator> matrix_operators() {
  return operators;
}

}  // namespace carrack::train
