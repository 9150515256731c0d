// Builds a GraphDef of TensorFlow node by node. A node is named by its operator and a number, unless it has a name of
// its own.
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

// Values of attributes.
AttrValue attr(DataType type);
AttrValue attr(std::int64_t number);
AttrValue attr(bool flag);
AttrValue attr(const saved_model::TensorShape& shape);
AttrValue text_attr(const std::string& text);
AttrValue numbers_attr(const std::vector<std::int64_t>& numbers);
AttrValue types_attr(const std::vector<DataType>& types);
AttrValue shapes_attr(const std::vector<saved_model::TensorShape>& shapes);
AttrValue function_attr(const std::string& name);

// Sizes and positions in TensorFlow's graphs are int32. Throws Error with Blame::user for any other number.
std::int32_t int32_of(std::int64_t number);

// A size of -1 means any size.
saved_model::TensorShape shape_of(const Shape& dimensions);

class GraphBuilder {
 public:
  // `graph` must outlive this.
  explicit GraphBuilder(saved_model::GraphDef& graph) : graph_(graph) {}

  // Appends a node. Returns its first output, by which other nodes read it, such as "MatMul_3". `attrs` needs every
  // attribute that has no default or a wrong one, such as `T`.
  std::string add(std::string_view op, std::vector<std::string> inputs, Attrs attrs = {});
  std::string add_named(const std::string& name, std::string_view op, std::vector<std::string> inputs,
                        Attrs attrs = {});

  // Append constants, and return their outputs.
  std::string floats(std::span<const float> values, const Shape& shape);
  std::string number(std::int32_t value);
  std::string numbers(const std::vector<std::int32_t>& values);
  std::string strings(const std::vector<std::string>& values);
  // Appends a constant without elements. As a default of ParseExampleV2, it makes a feature required.
  std::string none_of(DataType type);

  // The function belongs to the graph.
  saved_model::Function* add_function() { return graph_.mutable_library()->add_function(); }

 private:
  std::string constant(saved_model::Tensor tensor);

  saved_model::GraphDef& graph_;
  std::map<std::string, int, std::less<>> counts_;  // by operator
};

// The attributes of an operator whose only type attribute is `T`, which is float.
Attrs of_floats();

}  // namespace carrack::train::tf
