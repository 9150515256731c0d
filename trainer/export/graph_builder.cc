#include "trainer/export/graph_builder.h"

#include <bit>
#include <limits>

#include "trainer/error.h"

namespace carrack::train::tf {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are little-endian, and are copied as they are");

template <class Value>
std::string bytes_of(std::span<const Value> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

}  // namespace

AttrValue attr(DataType type) {
  AttrValue value;
  value.set_type(type);
  return value;
}

AttrValue attr(std::int64_t number) {
  AttrValue value;
  value.set_i(number);
  return value;
}

AttrValue attr(bool flag) {
  AttrValue value;
  value.set_b(flag);
  return value;
}

AttrValue attr(const saved_model::TensorShape& shape) {
  AttrValue value;
  *value.mutable_shape() = shape;
  return value;
}

AttrValue text_attr(const std::string& text) {
  AttrValue value;
  value.set_s(text);
  return value;
}

AttrValue numbers_attr(const std::vector<std::int64_t>& numbers) {
  AttrValue value;
  auto& list = *value.mutable_list();
  for (const std::int64_t number : numbers) list.add_i(number);
  return value;
}

AttrValue types_attr(const std::vector<DataType>& types) {
  AttrValue value;
  auto& list = *value.mutable_list();
  for (const DataType type : types) list.add_type(type);
  return value;
}

AttrValue shapes_attr(const std::vector<saved_model::TensorShape>& shapes) {
  AttrValue value;
  auto& list = *value.mutable_list();
  for (const auto& shape : shapes) *list.add_shape() = shape;
  return value;
}

AttrValue function_attr(const std::string& name) {
  AttrValue value;
  value.mutable_func()->set_name(name);
  return value;
}

saved_model::TensorShape shape_of(const Shape& dimensions) {
  saved_model::TensorShape shape;
  for (const std::int64_t size : dimensions) shape.add_dim()->set_size(size);
  return shape;
}

std::int32_t int32_of(std::int64_t number) {
  if (number < std::numeric_limits<std::int32_t>::min() || number > std::numeric_limits<std::int32_t>::max()) {
    throw Error(Blame::user, "a size of the model is " + std::to_string(number) +
                                 ", and TensorFlow's graphs have sizes of at most 2147483647");
  }
  return static_cast<std::int32_t>(number);
}

Attrs of_floats() {
  return {{"T", attr(saved_model::DT_FLOAT)}};
}

std::string GraphBuilder::add(std::string_view op, std::vector<std::string> inputs, Attrs attrs) {
  const int before = counts_[std::string(op)]++;
  const std::string name = std::string(op) + (before == 0 ? "" : "_" + std::to_string(before));
  return add_named(name, op, std::move(inputs), std::move(attrs));
}

std::string GraphBuilder::add_named(const std::string& name, std::string_view op, std::vector<std::string> inputs,
                                    Attrs attrs) {
  saved_model::Node& node = *graph_.add_node();
  node.set_name(name);
  node.set_op(std::string(op));
  for (std::string& input : inputs) node.add_input(std::move(input));
  for (auto& [attribute, value] : attrs) (*node.mutable_attr())[attribute] = std::move(value);
  return name;
}

std::string GraphBuilder::constant(saved_model::Tensor tensor) {
  Attrs attrs{{"dtype", attr(tensor.dtype())}};
  attrs.emplace_back("value", AttrValue());
  *attrs.back().second.mutable_tensor() = std::move(tensor);
  return add("Const", {}, std::move(attrs));
}

std::string GraphBuilder::floats(std::span<const float> values, const Shape& shape) {
  saved_model::Tensor tensor;
  tensor.set_dtype(saved_model::DT_FLOAT);
  *tensor.mutable_tensor_shape() = shape_of(shape);
  tensor.set_tensor_content(bytes_of(values));
  return constant(std::move(tensor));
}

std::string GraphBuilder::number(std::int32_t value) {
  saved_model::Tensor tensor;
  tensor.set_dtype(saved_model::DT_INT32);
  tensor.mutable_tensor_shape();
  tensor.set_tensor_content(bytes_of(std::span<const std::int32_t>(&value, 1)));
  return constant(std::move(tensor));
}

std::string GraphBuilder::numbers(const std::vector<std::int32_t>& values) {
  saved_model::Tensor tensor;
  tensor.set_dtype(saved_model::DT_INT32);
  *tensor.mutable_tensor_shape() = shape_of({std::ssize(values)});
  tensor.set_tensor_content(bytes_of(std::span(values)));
  return constant(std::move(tensor));
}

std::string GraphBuilder::strings(const std::vector<std::string>& values) {
  saved_model::Tensor tensor;
  tensor.set_dtype(saved_model::DT_STRING);
  *tensor.mutable_tensor_shape() = shape_of({std::ssize(values)});
  for (const std::string& value : values) tensor.add_string_val(value);
  return constant(std::move(tensor));
}

std::string GraphBuilder::empty_constant(DataType type) {
  saved_model::Tensor tensor;
  tensor.set_dtype(type);
  *tensor.mutable_tensor_shape() = shape_of({0});
  return constant(std::move(tensor));
}

}  // namespace carrack::train::tf
