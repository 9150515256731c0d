// The operators of graphs. The operator table has an entry for each operator, with all that a graph needs to know about
// it. Kernels are found by the operator's name (execution/kernel.h). Names, attributes and meaning are ONNX's, unless a
// comment at the entry (graph/ops) says otherwise.
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

// An operator with its attributes and inputs. Their number and types are already checked against the entry.
struct Application {
  const Attributes& attributes;
  std::vector<const Value*> inputs;
};

struct TypedShape {
  Type type = Type::float32;
  Dimensions shape;
};
// Why an operator cannot be applied. The message for the user names the operator and its inputs before this text.
struct Misfit {
  std::string why;
};
// The types and shapes of the outputs.
using Outputs = std::variant<std::vector<TypedShape>, Misfit>;

struct Operator {
  std::string_view name;
  std::span<const Type> input_types;
  // The attributes that a node may have. Graph refuses all others, but does not check that an attribute is present:
  // read optional ones by get_or(), since get() fails a CHECK if the attribute is missing.
  std::span<const std::string_view> attribute_names;
  // Returns the types and shapes of the outputs, or why the operator cannot be applied.
  Outputs (*infer)(const Application& application);
  // Appends the gradients of the inputs that need one, by Backward::add(). `of_outputs` are the gradients of the node's
  // outputs, of which at least one is set; an output on which the loss does not depend has nullopt. The function is
  // null if the operator has no gradient.
  void (*gradient)(Backward& backward, const Node& node, std::span<const std::optional<ValueId>> of_outputs);
  // Whether any number of further inputs of the last type may follow.
  bool is_variadic = false;
  // Whether the only output shows the elements of the only input in another shape. A view has no memory and no kernel.
  bool is_view = false;
  // Whether the only output is a copy of elements of the only input, each at most once.
  bool is_copy = false;
};

// Returns the entry, which lives as long as the process; null if no operator has this name. Searches the whole table.
const Operator* find_operator(std::string_view name);
// Returns the whole table.
std::vector<const Operator*> all_operators();

// Types of inputs, for entries of the table.
inline constexpr Type one_float[] = {Type::float32};
inline constexpr Type two_floats[] = {Type::float32, Type::float32};

// The entries of the table, by family.
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
