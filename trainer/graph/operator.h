// The operators of graphs: one table entry for each, with all that a graph has to know of it. How an operator is
// computed is in execution/, by its name. Names, attributes and meaning are ONNX's unless the entry says otherwise.
// Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "trainer/graph/attributes.h"
#include "trainer/graph/value.h"

namespace carrack::train {

class Backward;
struct Node;

using ValueId = std::size_t;

// What an operator is applied to. The inputs are as many, and of such types, as its entry says.
struct Application {
  const Attributes& attributes;
  std::vector<const Value*> inputs;
};

struct TypedShape {
  Type type = Type::float32;
  Dimensions shape;
};
// Why an operator cannot be applied, for the user; the names of operator and inputs are put before it.
struct Misfit {
  std::string why;
};
using Outputs = std::variant<std::vector<TypedShape>, Misfit>;

struct Operator {
  std::string_view name;
  std::span<const Type> input_types;
  // The attributes that a node may have; Graph refuses all others. That one is there is not checked: use get_or() for
  // optional ones, since get() fails a CHECK.
  std::span<const std::string_view> attribute_names;
  // The types and shapes of the outputs.
  Outputs (*infer)(const Application& application);
  // Appends the gradients of the inputs that need one, by Backward::add(). `of_outputs` are those of the node's
  // outputs; nullopt for an output that the loss does not depend on. Null if the operator has no gradient.
  void (*gradient)(Backward& backward, const Node& node, std::span<const std::optional<ValueId>> of_outputs);
  // Whether there may be more inputs of the last type.
  bool is_variadic = false;
  // Whether the one output shows the elements of the one input in another shape, without memory and a kernel of its
  // own.
  bool is_view = false;
  // Whether the one output is a copy of elements of the one input, none of them twice.
  bool is_copy = false;
};

// Null if there is no such operator.
const Operator* find_operator(std::string_view name);
std::vector<const Operator*> all_operators();

// For entries of the table.
inline constexpr Type one_float[] = {Type::float32};
inline constexpr Type two_floats[] = {Type::float32, Type::float32};

// The families of operators.
std::span<const Operator> activation_operators();
std::span<const Operator> arithmetic_operators();
std::span<const Operator> attention_operators();
std::span<const Operator> column_operators();
std::span<const Operator> convolution_operators();
std::span<const Operator> dropout_operators();
std::span<const Operator> loss_operators();
std::span<const Operator> matrix_operators();
std::span<const Operator> normalization_operators();
std::span<const Operator> pooling_operators();
std::span<const Operator> recurrent_operators();
std::span<const Operator> reduction_operators();
std::span<const Operator> shape_operators();
std::span<const Operator> table_operators();

}  // namespace carrack::train
