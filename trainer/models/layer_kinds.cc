#include "trainer/models/layer_kinds.h"

#include <algorithm>
#include <cmath>

#include "trainer/error.h"
#include "trainer/kernels/random.h"
#include "trainer/kernels/shape.h"
#include "trainer/models/attention_layers.h"
#include "trainer/models/check.h"
#include "trainer/models/image_layers.h"

namespace carrack::train {
namespace {

// A way to draw initial weights, named as in Keras. The variance of the weights is variance / (inputs + units) if
// counts_units is true, otherwise variance / inputs.
struct Initializer {
  std::string_view name;
  InitialValues::Kind kind;
  double variance;
  bool counts_units;
};
using enum InitialValues::Kind;
constexpr Initializer initializers[] = {
    {"GlorotUniform", uniform, 2, true}, {"GlorotNormal", truncated_normal, 2, true},
    {"HeUniform", uniform, 2, false},    {"HeNormal", truncated_normal, 2, false},
    {"LecunUniform", uniform, 1, false}, {"LecunNormal", truncated_normal, 1, false},
};

InitialValues initial_values(const Choice& initializer, std::int64_t inputs, std::int64_t units) {
  if (initializer.text() == "Orthogonal") return {orthogonal};
  if (initializer.text() == "Zeros") return {constant, 0};
  if (initializer.text() == "Ones") return {constant, 1};
  const auto& found = *std::ranges::find(initializers, initializer.text(), &Initializer::name);
  const auto count = static_cast<double>(found.counts_units ? inputs + units : inputs);
  // The variance of a uniform distribution over [-limit, limit) is limit^2 / 3.
  if (found.kind == uniform) return {uniform, static_cast<float>(std::sqrt(3 * found.variance / count))};
  return {truncated_normal, static_cast<float>(std::sqrt(found.variance / count) / truncated_deviation)};
}

// Multiplies the values along the last dimension by the kernel. An input with T time steps, [rows, T, N], is reshaped
// to a matrix of T times as many rows, because products need matrices. The output is reshaped back.
ValueId dense(LayerBuilder& builder) {
  const Dimensions shape = builder.input().shape;
  const std::int64_t inputs = shape.back().count;
  const auto units = builder.layer.get<std::int64_t>("units");
  const Shape kernel_shape{inputs, units};
  const ValueId kernel =
      builder.parameter("kernel", kernel_shape, builder.initializer_of("kernelInitializer", kernel_shape));
  const Dimension rows(values_per_record(shape) / inputs, true);
  const bool is_matrix = shape.size() == 2;
  const ValueId matrix = is_matrix ? builder.inputs.front() : builder.reshape(builder.inputs.front(), {rows, inputs});
  ValueId output = builder.graph.matmul(builder.name, matrix, kernel);
  if (builder.layer.get<bool>("bias")) {
    const InitialValues of_bias = initial_values(builder.layer.get<Choice>("biasInitializer"), inputs, units);
    output = builder.graph.add(builder.name, output, builder.parameter("bias", {units}, of_bias));
  }
  output = builder.activate(output);
  if (is_matrix) return output;
  Dimensions output_shape = shape;
  output_shape.back() = units;
  return builder.reshape(output, output_shape);
}

ValueId time_distributed(LayerBuilder& builder) {
  if (builder.input().shape.size() < 3) builder.refuse_without_steps();
  return dense(builder);
}

// A recurrent operator, and its number of gates. The columns of its weights are all units of the first gate, then all
// units of the second one, and so on.
struct Recurrent {
  std::string_view op;
  std::int64_t gates;
};

// Appends one direction of a recurrent layer. Returns its outputs at all time steps, in the order of the steps of
// `input`. The names of its weights are `layer/kernel` and so on, with `prefix` after the slash.
ValueId one_way(LayerBuilder& builder, Recurrent kind, ValueId input, const std::string& prefix) {
  const auto units = builder.layer.get<std::int64_t>("units");
  const std::int64_t inputs = builder.input().shape[2].count, columns = kind.gates * units;
  const auto weights = [&](std::string_view name, std::string_view initializer, const Shape& of) {
    return builder.parameter(prefix + std::string(name), of, builder.initializer_of(initializer, of));
  };
  std::vector<ValueId> all{input, weights("kernel", "kernelInitializer", {inputs, columns}),
                           weights("recurrent_kernel", "recurrentInitializer", {units, columns})};
  if (kind.op == "LSTM") {
    const bool one = builder.layer.get<bool>("unitForgetBias");
    all.push_back(builder.parameter(prefix + "bias", {columns}, {one ? forget_gate : constant, one ? 1.0f : 0.0f}));
  } else {
    for (const char* name : {"bias", "recurrent_bias"}) {
      all.push_back(builder.parameter(prefix + name, {columns}, {constant, 0}));
    }
  }
  // The layer's output is the first one. Only the operator's gradient reads the outputs `gates` and `states`.
  return builder.graph.append(kind.op, {}, std::move(all),
                              std::vector<std::string>{builder.name, "gates", "states"})[0];
}

ValueId reversed(LayerBuilder& builder, ValueId steps) {
  return builder.graph.append("Reverse", {{"axis", std::int64_t{1}}}, {steps}, builder.name);
}

// Appends one or both directions over an input with time steps. The backward direction reads the steps in reverse, so
// its last step reads the first step of the input.
ValueId recurrent(LayerBuilder& builder, Recurrent kind) {
  const Dimensions shape = builder.input().shape;
  if (shape.size() != 3) builder.refuse("reads " + text(builder.input()) + "; needs time steps, [rows, steps, values]");
  const Dimensions one_step{shape[0], builder.layer.get<std::int64_t>("units")};
  const Attributes last{{"axis", std::int64_t{1}}, {"start", shape[1].count - 1}, {"end", shape[1].count}};
  const bool all_steps = builder.layer.get<bool>("returnSequences");
  const ValueId input = builder.inputs.front();
  const auto forward = [&] {
    const ValueId steps = one_way(builder, kind, input, "");
    if (all_steps) return steps;
    return builder.reshape(builder.graph.append("Slice", last, {steps}, builder.name), one_step);
  };
  const auto back = [&](const std::string& prefix) {
    const ValueId steps = one_way(builder, kind, reversed(builder, input), prefix);
    if (all_steps) return reversed(builder, steps);
    return builder.reshape(builder.graph.append("Slice", last, {steps}, builder.name), one_step);
  };
  const std::string_view direction = builder.layer.get<Choice>("direction").text();
  if (direction == "Forward") return forward();
  if (direction == "Reverse") return back("");
  const std::vector<ValueId> both{forward(), back("reverse_")};
  return builder.graph.append("Concat", {{"axis", std::int64_t{all_steps ? 2 : 1}}}, both, builder.name);
}

ValueId lstm(LayerBuilder& builder) {
  return recurrent(builder, {"LSTM", 4});
}

ValueId gru(LayerBuilder& builder) {
  return recurrent(builder, {"GRU", 3});
}

ValueId repeat_vector(LayerBuilder& builder) {
  const Dimensions& shape = builder.input().shape;
  if (shape.size() != 2) {
    builder.refuse("reads " + text(builder.input()) + "; needs one row of values for each record");
  }
  const Attributes repeated{{"axes", std::vector<std::int64_t>{1}},
                            {"shape", Dimensions{shape[0], builder.layer.get<std::int64_t>("times"), shape[1]}}};
  return builder.graph.append("Expand", repeated, builder.inputs, builder.name);
}

ValueId reshape(LayerBuilder& builder) {
  const auto& shape = builder.layer.get<Shape>("shape");
  Dimensions wanted(shape.begin(), shape.end());
  wanted.insert(wanted.begin(), batch_rows);
  return builder.reshape(builder.inputs.front(), wanted);
}

ValueId activation(LayerBuilder& builder) {
  return builder.activate(builder.inputs.front());
}

ValueId dropout(LayerBuilder& builder) {
  const auto rate = static_cast<float>(builder.layer.get<double>("rate"));
  if (rate == 0 || builder.use == ModelUse::inference) return builder.inputs.front();
  const Attributes attributes{{"ratio", rate}, {"seed", std::int64_t{fnv1a(builder.name)}}};
  return builder.graph.append("Dropout", attributes, builder.inputs, builder.name);
}

// Multiplies `x` by the trained tensor `gamma` if the layer's field `scale` is true, and adds the trained tensor `beta`
// if `center` is true. Both have a value for each index along the last axis.
ValueId scaled(LayerBuilder& builder, ValueId x) {
  const std::int64_t width = builder.input().shape.back().count;
  if (builder.layer.get<bool>("scale")) {
    x = builder.graph.mul(builder.name, x, builder.parameter("gamma", {width}, {constant, 1}));
  }
  if (builder.layer.get<bool>("center")) {
    x = builder.graph.add(builder.name, x, builder.parameter("beta", {width}, {constant, 0}));
  }
  return x;
}

ValueId layer_norm(LayerBuilder& builder) {
  const Attributes attributes{{"epsilon", static_cast<float>(builder.layer.get<double>("epsilon"))}};
  const ValueId normalized = builder.graph.append("LayerNormalization", attributes, builder.inputs,
                                                  std::vector<std::string>{builder.name, "inverse deviation"})[0];
  return scaled(builder, normalized);
}

// Normalizes each column of the last axis. In training it uses the mean and variance of each lane (share of a batch).
// In inference it uses the moving mean and variance, which are averages over the steps of training.
ValueId batch_norm(LayerBuilder& builder) {
  const std::int64_t width = builder.input().shape.back().count;
  const auto epsilon = static_cast<float>(builder.layer.get<double>("epsilon"));
  const double rate = 1 - builder.layer.get<double>("momentum");
  const ValueId mean = builder.parameter("moving_mean", {width}, {constant, 0}, rate),
                variance = builder.parameter("moving_variance", {width}, {constant, 1}, rate);
  Graph& graph = builder.graph;
  if (builder.use == ModelUse::training) {
    const ValueId normalized =
        graph.append("BatchNormalization", {{"epsilon", epsilon}}, {builder.inputs.front(), mean, variance},
                     std::vector<std::string>{builder.name, "means", "variances"})[0];
    return scaled(builder, normalized);
  }
  const ValueId raised =
      graph.add(builder.name, variance, graph.append("Constant", {{"value", epsilon}}, {}, "epsilon"));
  const ValueId deviation = graph.append("Sqrt", {}, {raised}, builder.name);
  const ValueId difference = graph.sub(builder.name, builder.inputs.front(), mean);
  return scaled(builder, graph.append("Div", {}, {difference, deviation}, builder.name));
}

// Joins the inputs along the last axis.
ValueId concat(LayerBuilder& builder) {
  const auto axis = std::ssize(builder.input().shape) - 1;
  return builder.graph.append("Concat", {{"axis", std::int64_t{axis}}}, builder.inputs, builder.name);
}

// Adds inputs of the same shape. Refuses inputs of different shapes, because broadcasting would add values that do not
// belong together.
ValueId add(LayerBuilder& builder) {
  ValueId sum = builder.inputs.front();
  for (std::size_t i = 1; i < builder.inputs.size(); ++i) {
    const Value& other = builder.graph.value(builder.inputs[i]);
    if (other.shape != builder.input().shape) {
      builder.refuse("adds " + text(builder.input()) + " and " + text(other) + "; both must have the same shape");
    }
    sum = builder.graph.add(builder.name, sum, builder.inputs[i]);
  }
  return sum;
}

ValueId flatten(LayerBuilder& builder) {
  const Dimensions& shape = builder.input().shape;
  if (shape.size() == 2) return builder.inputs.front();
  return builder.reshape(builder.inputs.front(), {shape[0], values_per_record(shape)});
}

// Replaces each number of the feature by the row of the table with this number. The output is [rows, units] if the
// feature has one number for each record. Otherwise it has one more dimension than the feature.
ValueId embedding(LayerBuilder& builder) {
  const Dimensions shape = builder.input().shape;
  const auto vocabulary = builder.layer.get<std::int64_t>("vocabulary"),
             units = builder.layer.get<std::int64_t>("units");
  const ValueId table = builder.parameter("embeddings", {vocabulary, units}, {uniform, embedding_limit});
  const ValueId rows = builder.graph.gather(builder.name, table, builder.inputs.front());
  if (shape.size() == 2 && shape[1].count == 1) return builder.reshape(rows, {shape[0], units});
  return rows;
}

// Standardizes each column of the last axis: subtracts its mean in the training data, and divides by its deviation.
ValueId standardize(LayerBuilder& builder) {
  const std::int64_t columns = builder.input().shape.back().count;
  const ValueId mean = builder.parameter("mean", {columns}, {of_data}, 0),
                deviation = builder.parameter("deviation", {columns}, {of_data}, 0);
  const ValueId difference = builder.graph.sub(builder.name, builder.inputs.front(), mean);
  return builder.graph.append("Div", {}, {difference, deviation}, builder.name);
}

struct Entry {
  std::string_view kind;
  ValueId (*append)(LayerBuilder& builder);
};
constexpr Entry entries[] = {
    {"Dense", dense},
    {"TimeDistributed", time_distributed},
    {"LSTM", lstm},
    {"GRU", gru},
    {"Reshape", reshape},
    {"RepeatVector", repeat_vector},
    {"LayerNorm", layer_norm},
    {"Activation", activation},
    {"Dropout", dropout},
    {"Concat", concat},
    {"Embedding", embedding},
    {"Standardize", standardize},
    {"BatchNorm", batch_norm},
    {"MultiHeadAttention", multi_head_attention},
    {"Add", add},
    {"Flatten", flatten},
    {"PositionEmbedding", position_embedding},
    {"Conv2D", conv2d},
    {"MaxPool2D", max_pool2d},
    {"AveragePool2D", average_pool2d},
    {"GlobalAveragePool2D", global_average_pool2d},
};

// The activation functions whose name in the manifest is not the name of the operator.
struct OperatorName {
  std::string_view function, op;
};
constexpr OperatorName operator_names[] = {{"ReLU", "Relu"}, {"GELU", "Gelu"}, {"SiLU", "Swish"}};

// A tensor with more elements is refused when its layer is built, because computing with its size could overflow.
// Later problems_in() (check.h) checks a lower limit, elements_max, for the whole model.
constexpr std::int64_t countable_max = std::int64_t{1} << 54;

void require_countable(const LayerBuilder& builder, const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t dimension : shape) {
    if (count > countable_max / dimension) {
      builder.refuse("has a tensor " + text(Dimensions(shape.begin(), shape.end())) + "; a model may have up to " +
                     std::to_string(elements_max) + " parameters");
    }
    count *= dimension;
  }
}

}  // namespace

ValueId LayerBuilder::parameter(std::string_view suffix, const Shape& shape, InitialValues initial,
                                std::optional<double> own_rate) {
  require_countable(*this, shape);
  const std::string whole = name + "/" + std::string(suffix);
  parameters.push_back({whole, shape, initial, own_rate});
  return own_rate == 0.0 ? graph.fixed_parameter(whole, shape) : graph.parameter(whole, shape);
}

InitialValues LayerBuilder::initializer_of(std::string_view field, const Shape& shape) const {
  require_countable(*this, shape);
  const std::int64_t count = element_count(shape), of_inputs = shape[shape.size() - 2], units = shape.back();
  const InitialValues initial = initial_values(layer.get<Choice>(field), count / units, count / of_inputs);
  if (initial.kind == orthogonal && count > orthogonal_elements_max) {
    refuse(std::string(field) + " Orthogonal draws up to " + std::to_string(orthogonal_elements_max) +
           " weights, and the layer has " + std::to_string(count) + "; use another initializer, such as GlorotUniform");
  }
  return initial;
}

ValueId LayerBuilder::activate(ValueId x) {
  const std::string_view function = layer.get<Choice>("activation").text();
  if (function == "Linear") return x;
  const auto* const other = std::ranges::find(operator_names, function, &OperatorName::function);
  return graph.append(other == std::end(operator_names) ? function : other->op, {}, {x}, name);
}

ValueId LayerBuilder::reshape(ValueId x, const Dimensions& shape) {
  return graph.append("Reshape", {{"shape", shape}}, {x}, name);
}

void LayerBuilder::refuse_without_steps() const {
  refuse("reads " + text(input()) + "; needs time steps, such as [rows, steps, values]");
}

void LayerBuilder::refuse(const std::string& what) const {
  throw Error(Blame::user, graph.path() + ": " + what);
}

ValueId append_layer(LayerBuilder builder) {
  const auto entry = std::ranges::find(entries, builder.layer.kind->name, &Entry::kind);
  if (entry == std::end(entries)) {
    throw Error(Blame::bug, "a layer of kind " + std::string(builder.layer.kind->name) + ", which nothing builds");
  }
  const ValueId output = entry->append(builder);
  if (const std::int64_t count = values_per_record(builder.graph.value(output).shape); count > elements_max) {
    builder.refuse("has " + std::to_string(count) + " values for each record; must have from 1 to " +
                   std::to_string(elements_max));
  }
  return output;
}

std::int64_t values_per_record(const Dimensions& shape) {
  std::int64_t count = 1;
  for (const Dimension& dimension : shape) count *= dimension.count;
  return count;
}

}  // namespace carrack::train
