// GraphBuilder: builds a GraphDef of TensorFlow node by node, for `carrack export`. Nodes are named after their
// operators: MatMul, MatMul_1, MatMul_2 and so on, unless they get a name by add_named(). An output of a node is
// identified by text, as in TensorFlow: "MatMul_3" is the first output, "MatMul_3:1" the second.
//
//   const std::string product = builder.add("MatMul", {x, weights}, of_floats());  // "MatMul"
//   const std::string sum = builder.add("BiasAdd", {product, bias}, of_floats());  // "BiasAdd"
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trainer/export/saved_model.pb.h"
#include "trainer/kernels/shape.h"

namespace carrack::train::tf {

using saved_model::AttrValue;
using saved_model::DataType;
using Attrs = std::vector<std::pair<std::string, AttrValue>>;

// Make values of attributes, for Attrs: {{"keep_dims", attr(false)}}.
AttrValue attr(DataType type);
AttrValue attr(std::int64_t number);
AttrValue attr(bool flag);
AttrValue attr(const saved_model::TensorShape& shape);
AttrValue text_attr(const std::string& text);
AttrValue numbers_attr(const std::vector<std::int64_t>& numbers);
AttrValue types_attr(const std::vector<DataType>& types);
AttrValue shapes_attr(const std::vector<saved_model::TensorShape>& shapes);
AttrValue function_attr(const std::string& name);

// Returns the number as int32, the type of sizes and positions in TensorFlow's graphs. Throws Error with Blame::user if
// it does not fit.
std::int32_t int32_of(std::int64_t number);

// Converts the shape. A size of -1 means any size.
saved_model::TensorShape shape_of(const Shape& dimensions);

class GraphBuilder {
 public:
  // `graph` must outlive this.
  explicit GraphBuilder(saved_model::GraphDef& graph) : graph_(graph) {}

  // Appends a node and returns its first output, to be used in the `inputs` of other nodes. `attrs` must contain every
  // attribute that has no default, such as `T`, or whose default is not wanted. Nothing is checked.
  std::string add(std::string_view op, std::vector<std::string> inputs, Attrs attrs = {});
  // Appends a node with this name, which no other node may have, and returns the name.
  std::string add_named(const std::string& name, std::string_view op, std::vector<std::string> inputs,
                        Attrs attrs = {});

  // Append constants, and return their outputs: a tensor of floats in row-major order, an int32 scalar, and lists of
  // int32 numbers and of strings.
  std::string floats(std::span<const float> values, const Shape& shape);
  std::string number(std::int32_t value);
  std::string numbers(const std::vector<std::int32_t>& values);
  std::string strings(const std::vector<std::string>& values);
  // Appends a constant without elements. As a default of ParseExampleV2, it makes a feature required.
  std::string empty_constant(DataType type);

  // Appends an empty function to the graph's library and returns it. The graph owns it.
  saved_model::Function* add_function() { return graph_.mutable_library()->add_function(); }

 private:
  std::string constant(saved_model::Tensor tensor);

  saved_model::GraphDef& graph_;
  std::map<std::string, int, std::less<>> counts_;  // by operator
};

// Returns {{"T", attr(DT_FLOAT)}}, the attributes of most operators on floats.
Attrs of_floats();

}  // namespace carrack::train::tf
