// The table of the operators that a model's graph may use, such as MatMul or Relu. An entry has the rules of one
// operator: its inputs and attributes, shape inference, and how its gradient is built. Graph::append() checks each new
// node by the entry, and gradients() (gradient.h) calls Operator::gradient. The code that computes values is elsewhere:
// kernels, which are found by the operator's name (execution/kernel.h). Names, attributes and meaning are ONNX's,
// unless a comment at the entry (graph/ops) says otherwise.
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

// The index of a value in Graph::values().
using ValueId = std::size_t;

// The attributes and inputs of a new node, as Operator::infer gets them. The number and the types of the inputs are
// already checked against the entry; their shapes are not.
struct Application {
  const Attributes& attributes;
  std::vector<const Value*> inputs;
};

struct TypedShape {
  Type type = Type::float32;
  Dimensions shape;
};
// The error result of shape inference: why the operator cannot have these inputs or attributes, such as "needs matrices
// or vectors". The message for the user names the operator and its inputs before this text.
struct Misfit {
  std::string why;
};
// The result of shape inference: the types and shapes of the node's outputs, in order, or why there are none.
using Outputs = std::variant<std::vector<TypedShape>, Misfit>;

struct Operator {
  std::string_view name;
  std::span<const Type> input_types;  // one for each input, in order
  // The attributes that a node may have. Graph refuses all others, but does not check that an attribute is present:
  // read optional ones by get_or(), since get() fails a CHECK if the attribute is missing.
  std::span<const std::string_view> attribute_names;
  // Infers the outputs.
  Outputs (*infer)(const Application& application);
  // Appends the gradients of the inputs that need one, by Backward::add(). `of_outputs` are the gradients of the node's
  // outputs, in order; an output on which the loss does not depend has nullopt. At least one is set. The function is
  // null if the operator has no gradient.
  void (*gradient)(Backward& backward, const Node& node, std::span<const std::optional<ValueId>> of_outputs);
  // Whether more inputs, of the last type in `input_types`, may follow.
  bool is_variadic = false;
  // Whether the only output is the only input in another shape, as for Reshape. A view has no kernel, and no memory of
  // its own.
  bool is_view = false;
  // Whether the only output is a copy of elements of the only input, each at most once.
  bool is_copy = false;
};

// Returns the entry of an operator, such as "MatMul"; null if no operator has this name. Entries live as long as the
// process. Takes time proportional to the size of the table.
const Operator* find_operator(std::string_view name);
// Returns all entries. None is null.
std::vector<const Operator*> all_operators();

// For Operator::input_types of entries with one or two float32 inputs.
inline constexpr Type one_float[] = {Type::float32};
inline constexpr Type two_floats[] = {Type::float32, Type::float32};

// The parts of the table, each defined in the file of graph/ops with its name. Other code calls find_operator().
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
