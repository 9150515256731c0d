#include "trainer/export/recurrent_functions.h"

#include <array>
#include <string_view>
#include <utility>

namespace carrack::train::tf {
namespace {

using saved_model::DT_FLOAT;
using saved_model::DT_INT32;
using saved_model::DT_VARIANT;

// A value that the loop over the time steps passes from one step to the next.
struct LoopValue {
  std::string_view name;
  DataType type;
};
constexpr std::array loop_values{LoopValue{"step", DT_INT32},    LoopValue{"steps", DT_INT32},
                                 LoopValue{"inputs", DT_FLOAT},  LoopValue{"h", DT_FLOAT},
                                 LoopValue{"c", DT_FLOAT},       LoopValue{"outputs", DT_VARIANT},
                                 LoopValue{"weights", DT_FLOAT}, LoopValue{"bias", DT_FLOAT}};

// Builds a function with the loop's values as its arguments. In a function the output of a node is named
// "node:output:0", and an argument has its own name.
class FunctionBuilder {
 public:
  FunctionBuilder(saved_model::Function& function, const std::string& name) : function_(function) {
    auto& signature = *function_.mutable_signature();
    signature.set_name(name);
    for (const LoopValue& value : loop_values) {
      auto& argument = *signature.add_input_arg();
      argument.set_name(std::string(value.name));
      argument.set_type(value.type);
    }
  }

  // Appends a node and returns its first output. `output` is the name that TensorFlow's definition of the operator
  // gives to this output.
  std::string add(std::string_view op, std::vector<std::string> inputs, std::string_view output,
                  Attrs attrs = of_floats()) {
    auto& node = *function_.add_node_def();
    node.set_name(std::string(op) + "_" + std::to_string(function_.node_def_size()));
    node.set_op(std::string(op));
    for (std::string& input : inputs) node.add_input(std::move(input));
    for (auto& [name, value] : attrs) (*node.mutable_attr())[name] = std::move(value);
    return node.name() + ":" + std::string(output) + ":0";
  }

  std::string number(std::int32_t value) {
    AttrValue tensor;
    tensor.mutable_tensor()->set_dtype(DT_INT32);
    tensor.mutable_tensor()->mutable_tensor_shape();
    tensor.mutable_tensor()->set_tensor_content({reinterpret_cast<const char*>(&value), sizeof value});
    return add("Const", {}, "output", {{"dtype", attr(DT_INT32)}, {"value", tensor}});
  }

  std::string sum(std::string a, std::string b) { return add("AddV2", {std::move(a), std::move(b)}, "z"); }
  std::string product(std::string a, std::string b) { return add("Mul", {std::move(a), std::move(b)}, "z"); }
  std::string matmul(std::string a, std::string b) { return add("MatMul", {std::move(a), std::move(b)}, "product"); }
  std::string sigmoid(std::string x) { return add("Sigmoid", {std::move(x)}, "y"); }
  std::string tanh(std::string x) { return add("Tanh", {std::move(x)}, "y"); }

  // Splits the second dimension, the last one of a matrix, into equal parts, and returns them.
  std::vector<std::string> split(const std::string& x, int parts) {
    const std::string first =
        add("Split", {number(1), x}, "output", {{"T", attr(DT_FLOAT)}, {"num_split", attr(std::int64_t{parts})}});
    std::vector<std::string> all;
    for (int i = 0; i < parts; ++i) all.push_back(first.substr(0, first.rfind(':') + 1) + std::to_string(i));
    return all;
  }

  void returns(const LoopValue& value, const std::string& from) {
    auto& output = *function_.mutable_signature()->add_output_arg();
    output.set_name(std::string(value.name) + "_next");
    output.set_type(value.type);
    (*function_.mutable_ret())[output.name()] = from;
  }
  void returns_bool(const std::string& from) {
    auto& output = *function_.mutable_signature()->add_output_arg();
    output.set_name("goes_on");
    output.set_type(saved_model::DT_BOOL);
    (*function_.mutable_ret())[output.name()] = from;
  }

 private:
  saved_model::Function& function_;
};

struct State {
  std::string h, c;
};

// Computes the next state. The gates are in the order i (input), f (forget), c (candidate), o (output).
State lstm_step(FunctionBuilder& body, const std::string& input) {
  const auto gates = body.split(body.sum(input, body.matmul("h", "weights")), 4);
  const std::string kept = body.product(body.sigmoid(gates[1]), "c");
  const std::string c = body.sum(kept, body.product(body.sigmoid(gates[0]), body.tanh(gates[2])));
  return {body.product(body.sigmoid(gates[3]), body.tanh(c)), c};
}

// Computes the next state. The gates are in the order z (update), r (reset), h (candidate). As in Keras with
// reset_after, r multiplies the product of the state and the weights, and not the state itself.
State gru_step(FunctionBuilder& body, const std::string& input) {
  const auto of_input = body.split(input, 3);
  const auto of_state = body.split(body.sum(body.matmul("h", "weights"), "bias"), 3);
  const std::string z = body.sigmoid(body.sum(of_input[0], of_state[0]));
  const std::string r = body.sigmoid(body.sum(of_input[1], of_state[1]));
  const std::string candidate = body.tanh(body.sum(of_input[2], body.product(r, of_state[2])));
  const std::string change = body.product(z, body.add("Sub", {"h", candidate}, "z"));
  return {body.sum(candidate, change), "c"};
}

}  // namespace

RecurrentFunctions add_recurrent_functions(GraphBuilder& graph, const std::string& op) {
  const RecurrentFunctions names{op + "_goes_on", op + "_step"};
  FunctionBuilder condition(*graph.add_function(), names.condition);
  condition.returns_bool(condition.add("Less", {"step", "steps"}, "z", {{"T", attr(DT_INT32)}}));

  FunctionBuilder body(*graph.add_function(), names.body);
  const std::string input =
      body.add("GatherV2", {"inputs", "step", body.number(0)}, "output",
               {{"Tparams", attr(DT_FLOAT)}, {"Tindices", attr(DT_INT32)}, {"Taxis", attr(DT_INT32)}});
  const State next = op == "LSTM" ? lstm_step(body, input) : gru_step(body, input);
  const std::string outputs =
      body.add("TensorListSetItem", {"outputs", "step", next.h}, "output_handle", {{"element_dtype", attr(DT_FLOAT)}});
  const std::string step = body.add("AddV2", {"step", body.number(1)}, "z", {{"T", attr(DT_INT32)}});
  const std::array<std::string, loop_values.size()> results{step,   "steps", "inputs",  next.h,
                                                            next.c, outputs, "weights", "bias"};
  for (std::size_t i = 0; i < results.size(); ++i) body.returns(loop_values[i], results[i]);
  return names;
}

std::vector<DataType> recurrent_loop_types() {
  std::vector<DataType> types;
  for (const LoopValue& value : loop_values) types.push_back(value.type);
  return types;
}

}  // namespace carrack::train::tf
