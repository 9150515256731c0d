#include "trainer/models/model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "trainer/error.h"
#include "trainer/models/check.h"
#include "trainer/models/layers.h"

namespace carrack::train {
namespace {

const Feature& feature_of(const Data& data, const std::string& name) {
  return *std::ranges::find(data.features, name, &Feature::name);
}

ModelGraph build(const LinearRegression& model, const Data& data) {
  const Feature& input = feature_of(data, model.input);
  const Feature& target = feature_of(data, model.target);
  Graph graph("spec.model");
  const ValueId x = graph.input(input.name, Type::float32, {input.size});
  const ValueId y = graph.input(target.name, Type::float32, {});
  const ValueId w = graph.parameter("w", {input.size}), b = graph.parameter("b", {1});
  const ValueId prediction = graph.add("prediction", graph.matmul("product", x, w), b);
  const ValueId difference = graph.sub("difference", prediction, y);
  const ValueId loss = graph.reduce_sum("loss", graph.mul("square", difference, difference), 0, 1);
  // Glorot and Bengio's limit for this number of inputs and one output, which Keras uses too.
  const float limit = std::sqrt(6.0f / static_cast<float>(input.size + 1));
  const InitialValues initial{InitialValues::Kind::uniform, limit};
  return {{{"w", {input.size}, initial}, {"b", {1}}},
          {input, target},
          std::move(graph),
          loss,
          {{"prediction", prediction, 2}}};
}

ModelGraph build(const Tally& model, const Data& data) {
  const Feature& record = feature_of(data, model.record);
  Graph graph("spec.model");
  const ValueId number = graph.input(record.name, Type::int64, {});
  const ValueId counts = graph.gather("counts", graph.parameter("tally", {model.records}), number);
  const ValueId loss = graph.reduce_sum("loss", graph.neg("negative", counts), 0, 1);
  return {{{"tally", {model.records}}}, {record}, std::move(graph), loss, {{"counts", counts, 1}}};
}

}  // namespace

ModelGraph model_graph(const Model& model, const Data& data) {
  const std::vector<ModelProblem> problems = problems_in(model, data);
  if (!problems.empty()) throw Error(Blame::user, problems.front().field + ": " + problems.front().text);
  return std::visit([&](const auto& kind) { return build(kind, data); }, model);
}

Layout layout_of(const ModelGraph& model) {
  std::vector<NamedShape> tensors;
  for (const Parameter& parameter : model.parameters) tensors.push_back({parameter.name, parameter.shape});
  return Layout(tensors);
}

void initialize(const ModelGraph& model, std::uint64_t seed, Range range, std::span<float> values) {
  if (std::ssize(values) != range.size()) throw Error(Blame::bug, "initialize: values and range have different sizes");
  const Layout layout = layout_of(model);
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    const Parameter& parameter = model.parameters[i];
    const Range whole = layout.tensors()[i].range;
    const std::int64_t begin = std::max(range.begin, whole.begin), end = std::min(range.end, whole.end);
    if (begin >= end) continue;
    write_initial_values(parameter.initial, {parameter.name, parameter.shape}, seed,
                         {begin - whole.begin, end - whole.begin},
                         values.subspan(static_cast<std::size_t>(begin - range.begin)));
  }
}

}  // namespace carrack::train
