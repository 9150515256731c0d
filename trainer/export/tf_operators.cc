#include "trainer/export/tf_operators.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "trainer/error.h"

namespace carrack::train::tf {
namespace {

using saved_model::DT_BOOL;
using saved_model::DT_FLOAT;
using saved_model::DT_INT32;
using saved_model::DT_INT64;
using saved_model::DT_VARIANT;

// Returns the dimensions, with -1 for one that depends on the number of rows.
std::vector<std::int32_t> sizes_of(const Dimensions& shape) {
  std::vector<std::int32_t> sizes;
  for (const Dimension& dimension : shape) sizes.push_back(dimension.of_rows ? -1 : int32_of(dimension.count));
  return sizes;
}

Attrs with_axes() {
  return {{"T", attr(DT_FLOAT)}, {"Tidx", attr(DT_INT32)}};
}

}  // namespace

void OperatorWriter::append(const Node& node) {
  set(node.outputs[0], written(node));
}

std::string OperatorWriter::written(const Node& node) {
  const std::string_view op = node.op->name;
  const auto in = [&](std::size_t i) { return output(node.inputs[i]); };
  if (op == "Add") return binary(node, "AddV2");
  if (op == "Sub" || op == "Mul") return binary(node, op == "Sub" ? "Sub" : "Mul");
  if (op == "Div") return binary(node, "RealDiv");
  if (op == "Relu" || op == "Sigmoid" || op == "Tanh" || op == "Neg" || op == "Abs" || op == "Sqrt") {
    return unary(node, std::string(op).c_str());
  }
  if (op == "Gelu") return gelu(node);
  if (op == "Swish") return to_.add("Mul", {in(0), unary(node, "Sigmoid")}, of_floats());
  if (op == "Constant") {
    const auto value = node.attributes.get<float>("value");
    return to_.floats({&value, 1}, {});
  }
  if (op == "MatMul") return product(node);
  if (op == "Reshape") return reshape(in(0), node.attributes.get<Dimensions>("shape"));
  if (op == "Expand") return expand(node);
  if (op == "Concat") return concat(node);
  if (op == "Slice") return slice(node);
  if (op == "Reverse") {
    const std::string axis = to_.numbers({int32_of(node.attributes.get<std::int64_t>("axis"))});
    return to_.add("ReverseV2", {in(0), axis}, with_axes());
  }
  if (op == "Gather") {
    return to_.add("GatherV2", {in(0), in(1), to_.number(0)},
                   {{"Tparams", attr(DT_FLOAT)}, {"Tindices", attr(DT_INT64)}, {"Taxis", attr(DT_INT32)}});
  }
  if (op == "LayerNormalization") return layer_normalization(node);
  if (op == "Attention") return attention(node);
  if (op == "Conv") return convolution(node);
  if (op == "MaxPool" || op == "AveragePool") return pooling(node);
  if (op == "LSTM" || op == "GRU") return recurrent(node);
  throw Error(Blame::bug, "a model's output is computed with " + std::string(op) + ", which is not exported");
}

std::string OperatorWriter::binary(const Node& node, const char* op) {
  return to_.add(op, {output(node.inputs[0]), output(node.inputs[1])}, of_floats());
}

std::string OperatorWriter::unary(const Node& node, const char* op) {
  return to_.add(op, {output(node.inputs[0])}, of_floats());
}

// gelu(x) = x erfc(-x / sqrt(2)) / 2
std::string OperatorWriter::gelu(const Node& node) {
  const float scale = -std::sqrt(0.5f), half = 0.5f;
  const std::string& x = output(node.inputs[0]);
  const std::string scaled = to_.add("Mul", {x, to_.floats({&scale, 1}, {})}, of_floats());
  const std::string halves = to_.add("Mul", {x, to_.floats({&half, 1}, {})}, of_floats());
  return to_.add("Mul", {halves, to_.add("Erfc", {scaled}, of_floats())}, of_floats());
}

// The right factor may be a vector. TensorFlow's MatMul takes only matrices, so the vector becomes one column, and the
// result is reshaped.
std::string OperatorWriter::product(const Node& node) {
  const std::string left = output(node.inputs[0]), right = output(node.inputs[1]);
  if (shape(node.inputs[1]).size() == 2) return to_.add("MatMul", {left, right}, of_floats());
  const std::string column = to_.add("MatMul", {left, reshape(right, {shape(node.inputs[1])[0], 1})}, of_floats());
  return reshape(column, shape(node.outputs[0]));
}

std::string OperatorWriter::reshape(const std::string& x, const Dimensions& shape) {
  return to_.add("Reshape", {x, to_.numbers(sizes_of(shape))}, {{"T", attr(DT_FLOAT)}, {"Tshape", attr(DT_INT32)}});
}

// Inserts dimensions of 1 by Reshape, then repeats along dimensions of 1 by Tile.
std::string OperatorWriter::expand(const Node& node) {
  Dimensions from = shape(node.inputs[0]);
  for (const std::int64_t axis : node.attributes.get_or<std::vector<std::int64_t>>("axes", {})) {
    from.insert(from.begin() + axis, 1);
  }
  const auto& wanted = node.attributes.get<Dimensions>("shape");
  std::vector<std::int32_t> times;
  for (std::size_t i = 0; i < wanted.size(); ++i) times.push_back(int32_of(wanted[i].count / from[i].count));
  return to_.add("Tile", {reshape(output(node.inputs[0]), from), to_.numbers(times)},
                 {{"T", attr(DT_FLOAT)}, {"Tmultiples", attr(DT_INT32)}});
}

std::string OperatorWriter::concat(const Node& node) {
  std::vector<std::string> inputs;
  for (const ValueId input : node.inputs) inputs.push_back(output(input));
  const auto count = std::int64_t{std::ssize(inputs)};
  inputs.push_back(to_.number(int32_of(node.attributes.get<std::int64_t>("axis"))));
  return to_.add("ConcatV2", std::move(inputs), {{"T", attr(DT_FLOAT)}, {"Tidx", attr(DT_INT32)}, {"N", attr(count)}});
}

std::string OperatorWriter::slice(const Node& node) {
  const auto axis = static_cast<std::size_t>(node.attributes.get<std::int64_t>("axis"));
  const auto start = node.attributes.get<std::int64_t>("start"), end = node.attributes.get<std::int64_t>("end");
  // A size of -1 takes the whole dimension.
  std::vector<std::int32_t> begins(shape(node.inputs[0]).size(), 0), sizes(begins.size(), -1);
  begins[axis] = int32_of(start);
  sizes[axis] = int32_of(end - start);
  return to_.add("Slice", {output(node.inputs[0]), to_.numbers(begins), to_.numbers(sizes)},
                 {{"T", attr(DT_FLOAT)}, {"Index", attr(DT_INT32)}});
}

std::string OperatorWriter::layer_normalization(const Node& node) {
  const std::string& x = output(node.inputs[0]);
  Attrs keeps = with_axes();
  keeps.emplace_back("keep_dims", attr(true));
  const auto mean = [&](const std::string& of) { return to_.add("Mean", {of, to_.numbers({-1})}, keeps); };
  const float epsilon = node.attributes.get<float>("epsilon");
  const std::string centered = to_.add("Sub", {x, mean(x)}, of_floats());
  const std::string variance = mean(to_.add("Square", {centered}, of_floats()));
  const std::string raised = to_.add("AddV2", {variance, to_.floats({&epsilon, 1}, {})}, of_floats());
  return to_.add("Mul", {centered, to_.add("Rsqrt", {raised}, of_floats())}, of_floats());
}

// Returns the sequence [rows, steps, heads * size] as [rows, heads, steps, size].
std::string OperatorWriter::by_head(ValueId sequence, std::int64_t heads) {
  const Dimensions& from = shape(sequence);
  return transposed(reshape(output(sequence), {from[0], from[1], heads, from[2].count / heads}), {0, 2, 1, 3});
}

// Returns an output with 1 for keys that a query sees and 0 for others, in the shape of the scores or one that is
// broadcast to it. Returns an empty string if each query sees all keys.
std::string OperatorWriter::seen(const Node& node, const std::string& scores) {
  std::string all;
  if (node.attributes.get_or<std::int64_t>("is_causal", 0) != 0) {
    all = to_.add("MatrixBandPart", {to_.add("OnesLike", {scores}, of_floats()), to_.number(-1), to_.number(0)},
                  {{"T", attr(DT_FLOAT)}, {"Tindex", attr(DT_INT32)}});
  }
  if (node.inputs.size() < 4) return all;
  const float zero = 0;
  const std::string is_seen = to_.add("NotEqual", {output(node.inputs[3]), to_.floats({&zero, 1}, {})}, of_floats());
  const Dimensions& keys = shape(node.inputs[3]);
  const std::string mask = reshape(to_.add("Cast", {is_seen}, {{"SrcT", attr(DT_BOOL)}, {"DstT", attr(DT_FLOAT)}}),
                                   {keys[0], 1, 1, keys[1]});
  return all.empty() ? mask : to_.add("Mul", {all, mask}, of_floats());
}

// Keys that a query does not see get the score -1e9, so that their weights become 0. If a query sees no key, all its
// scores are equal, and only the product with seen() makes its weights 0.
std::string OperatorWriter::attention(const Node& node) {
  const auto heads = node.attributes.get<std::int64_t>("q_num_heads");
  const float scale = 1 / std::sqrt(static_cast<float>(shape(node.inputs[0])[2].count / heads)), low = -1e9f;
  const auto product = [&](const std::string& a, const std::string& b, bool transposes_b) {
    return to_.add("BatchMatMulV2", {a, b},
                   {{"T", attr(DT_FLOAT)}, {"adj_x", attr(false)}, {"adj_y", attr(transposes_b)}});
  };
  const std::string queries =
      to_.add("Mul", {by_head(node.inputs[0], heads), to_.floats({&scale, 1}, {})}, of_floats());
  std::string scores = product(queries, by_head(node.inputs[1], heads), true);
  const std::string is_seen = seen(node, scores);
  if (!is_seen.empty()) {
    const std::string sees = to_.add("Cast", {is_seen}, {{"SrcT", attr(DT_FLOAT)}, {"DstT", attr(DT_BOOL)}});
    scores = to_.add("SelectV2", {sees, scores, to_.floats({&low, 1}, {})}, of_floats());
  }
  std::string weights = to_.add("Softmax", {scores}, of_floats());
  if (!is_seen.empty()) weights = to_.add("Mul", {weights, is_seen}, of_floats());
  const std::string means = product(weights, by_head(node.inputs[2], heads), false);
  return reshape(transposed(means, {0, 2, 1, 3}), shape(node.outputs[0]));
}

// The number of groups is not written, because TensorFlow derives it from the shape of the weights.
std::string OperatorWriter::convolution(const Node& node) {
  const auto numbers = [&](const char* name) { return node.attributes.get<std::vector<std::int64_t>>(name); };
  const auto strides = numbers("strides"), dilations = numbers("dilations"), pads = numbers("pads");
  // Lists are in the order of rows, height, width and channels.
  return to_.add("Conv2D", {output(node.inputs[0]), output(node.inputs[1])},
                 {{"T", attr(DT_FLOAT)},
                  {"strides", numbers_attr({1, strides[0], strides[1], 1})},
                  {"dilations", numbers_attr({1, dilations[0], dilations[1], 1})},
                  {"padding", text_attr("EXPLICIT")},
                  {"explicit_paddings", numbers_attr({0, 0, pads[0], pads[2], pads[1], pads[3], 0, 0})},
                  {"data_format", text_attr("NHWC")}});
}

// The pads need not be written, because layers pad as TensorFlow's SAME does, or not at all.
std::string OperatorWriter::pooling(const Node& node) {
  const auto size = node.attributes.get<std::vector<std::int64_t>>("kernel_shape");
  const auto strides = node.attributes.get_or<std::vector<std::int64_t>>("strides", {1, 1});
  const auto pads = node.attributes.get_or<std::vector<std::int64_t>>("pads", {});
  const bool is_padded = std::ranges::any_of(pads, [](std::int64_t pad) { return pad > 0; });
  return to_.add(node.op->name == "MaxPool" ? "MaxPool" : "AvgPool", {output(node.inputs[0])},
                 {{"T", attr(DT_FLOAT)},
                  {"ksize", numbers_attr({1, size[0], size[1], 1})},
                  {"strides", numbers_attr({1, strides[0], strides[1], 1})},
                  {"padding", text_attr(is_padded ? "SAME" : "VALID")},
                  {"data_format", text_attr("NHWC")}});
}

// Returns `x` with its dimensions in another order. The default order swaps rows and steps.
std::string OperatorWriter::transposed(const std::string& x, const std::vector<std::int32_t>& order) {
  return to_.add("Transpose", {x, to_.numbers(order)}, {{"T", attr(DT_FLOAT)}, {"Tperm", attr(DT_INT32)}});
}

// Appends one product of the inputs of all steps and their weights, then a loop over the steps.
std::string OperatorWriter::recurrent(const Node& node) {
  const std::string op(node.op->name);
  auto found = functions_.find(op);
  if (found == functions_.end()) found = functions_.emplace(op, add_recurrent_functions(to_, op)).first;
  const Dimensions& x = shape(node.inputs[0]);
  const std::int64_t columns = shape(node.inputs[1])[1].count, units = shape(node.inputs[2])[0].count;
  const std::string matrix = reshape(output(node.inputs[0]), {{x[1].count, true}, x[2]});
  const std::string products = to_.add(
      "AddV2", {to_.add("MatMul", {matrix, output(node.inputs[1])}, of_floats()), output(node.inputs[3])}, of_floats());
  const std::string inputs = transposed(reshape(products, {batch_rows, x[1], columns}));
  // The initial state is zeros. The number of rows is not known here, so ZerosLike takes the shape from a part of the
  // inputs: the first `units` columns of the first step.
  const std::string first = to_.add("Slice", {inputs, to_.numbers({0, 0, 0}), to_.numbers({1, -1, int32_of(units)})},
                                    {{"T", attr(DT_FLOAT)}, {"Index", attr(DT_INT32)}});
  const std::string zeros = to_.add("ZerosLike", {reshape(first, {batch_rows, units})}, of_floats());
  const std::string steps = to_.number(int32_of(x[1].count)), element = to_.numbers({-1, int32_of(units)});
  const std::string list = to_.add("TensorListReserve", {element, steps},
                                   {{"element_dtype", attr(DT_FLOAT)}, {"shape_type", attr(DT_INT32)}});
  const std::string& bias = output(node.inputs.back());  // not used by an LSTM, whose `inputs` include it
  const std::string loop =
      to_.add("StatelessWhile", {to_.number(0), steps, inputs, zeros, zeros, list, output(node.inputs[2]), bias},
              {{"T", types_attr(recurrent_loop_types())},
               {"cond", function_attr(found->second.condition)},
               {"body", function_attr(found->second.body)},
               {"output_shapes", shapes_attr({})},
               {"parallel_iterations", attr(std::int64_t{1})}});
  const std::string all = to_.add("TensorListStack", {loop + ":5", element},
                                  {{"element_dtype", attr(DT_FLOAT)}, {"num_elements", attr(x[1].count)}});
  return transposed(all);
}

}  // namespace carrack::train::tf
