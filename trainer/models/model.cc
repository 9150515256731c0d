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

// Builds the graph up to the loss of each record or, with Losses::left_out, up to the output.
InferenceGraph inference(const LinearRegression& model, const Data& data, Losses losses) {
  const Feature& input = feature_of(data, model.input);
  InferenceGraph built{{input}, Graph("spec.model"), 0, std::nullopt};
  Graph& graph = built.graph;
  const ValueId x = graph.input(input.name, Type::float32, {input.size});
  const ValueId w = graph.parameter("w", {input.size}), b = graph.parameter("b", {1});
  built.output = graph.add("prediction", graph.matmul("product", x, w), b);
  if (losses == Losses::left_out) return built;
  const Feature& target = feature_of(data, model.target);
  built.features.push_back(target);
  const ValueId difference = graph.sub("difference", built.output, graph.input(target.name, Type::float32, {}));
  built.record_losses = graph.mul("square", difference, difference);
  built.target = graph.inputs().back();
  return built;
}

InferenceGraph inference(const Tally& model, const Data& data, Losses losses) {
  const Feature& record = feature_of(data, model.record);
  InferenceGraph built{{record}, Graph("spec.model"), 0, std::nullopt};
  const ValueId number = built.graph.input(record.name, Type::int64, {});
  built.output = built.graph.gather("counts", built.graph.parameter("tally", {model.records}), number);
  if (losses == Losses::computed) built.record_losses = built.graph.neg("negative", built.output);
  return built;
}

InferenceGraph inference(const OwnModel&, const Data&, Losses) {
  throw Error(Blame::user, "spec.model.kind: is Own, so only the job's own program computes the outputs of the model");
}

ModelGraph build(const LinearRegression& model, const Data& data) {
  InferenceGraph built = inference(model, data, Losses::computed);
  const ValueId loss = built.graph.reduce_sum("loss", *built.record_losses, 0, 1);
  // Glorot and Bengio's limit, sqrt(6 / (inputs + outputs)), for one output. Keras uses it, too.
  const std::int64_t size = built.features.front().size;
  const float limit = std::sqrt(6.0f / static_cast<float>(size + 1));
  const InitialValues initial{InitialValues::Kind::uniform, limit};
  return {{{"w", {size}, initial}, {"b", {1}}},
          std::move(built.features),
          std::move(built.graph),
          loss,
          {{"prediction", built.output, 2}}};
}

ModelGraph build(const Tally& model, const Data& data) {
  InferenceGraph built = inference(model, data, Losses::computed);
  const ValueId loss = built.graph.reduce_sum("loss", *built.record_losses, 0, 1);
  return {{{"tally", {model.records}}},
          std::move(built.features),
          std::move(built.graph),
          loss,
          {{"counts", built.output, 1}}};
}

InitialValues::Kind kind_of_values(OwnInitial::Kind kind) {
  switch (kind) {
    case OwnInitial::Kind::constant:
      return InitialValues::Kind::constant;
    case OwnInitial::Kind::uniform:
      return InitialValues::Kind::uniform;
    case OwnInitial::Kind::truncated_normal:
      return InitialValues::Kind::truncated_normal;
  }
  throw Error(Blame::bug, "initial values of no kind");
}

ModelGraph build(const OwnModel& model, const Data& data) {
  ModelGraph built{{}, data.features, Graph("spec.model"), std::nullopt, {}};
  for (const OwnTensor& tensor : model.tensors) {
    const InitialValues initial{kind_of_values(tensor.initial.kind), static_cast<float>(tensor.initial.scale)};
    // For a tensor that is not trained, the job's program reports values. A rate of 1 means that each update sets the
    // tensor to the mean of these values over the records of the batch.
    const auto own_rate = tensor.trained ? std::nullopt : std::optional(1.0);
    built.parameters.push_back({tensor.name, tensor.shape, initial, own_rate});
  }
  return built;
}

void write_values_of_data(const ValuesOfData& of_data, const Parameter& parameter, Range part, std::span<float> into) {
  const auto found = of_data.find(parameter.name);
  if (found == of_data.end() || std::ssize(found->second) != element_count(parameter.shape)) {
    throw Error(Blame::bug, parameter.name + " has no values of the data");
  }
  std::copy(found->second.begin() + part.begin, found->second.begin() + part.end, into.begin());
}

void require_no_problems(const Model& model, const Data& data) {
  const std::vector<ModelProblem> problems = problems_in(model, data);
  if (!problems.empty()) throw Error(Blame::user, problems.front().field + ": " + problems.front().text);
}

}  // namespace

ModelGraph model_graph(const Model& model, const Data& data) {
  require_no_problems(model, data);
  return std::visit([&](const auto& kind) { return build(kind, data); }, model);
}

InferenceGraph inference_graph(const Model& model, const Data& data, Losses losses) {
  require_no_problems(model, data);
  return std::visit([&](const auto& kind) { return inference(kind, data, losses); }, model);
}

Layout layout_of(const ModelGraph& model) {
  std::vector<NamedShape> tensors;
  for (const Parameter& parameter : model.parameters) {
    tensors.push_back({parameter.name, parameter.shape, parameter.own_rate});
  }
  return Layout(tensors);
}

void initialize(const ModelGraph& model, std::uint64_t seed, Range range, std::span<float> values,
                const ValuesOfData& of_data) {
  if (std::ssize(values) != range.size()) throw Error(Blame::bug, "initialize: values and range have different sizes");
  const Layout layout = layout_of(model);
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    const Parameter& parameter = model.parameters[i];
    const Range whole = layout.tensors()[i].range;
    const std::int64_t begin = std::max(range.begin, whole.begin), end = std::min(range.end, whole.end);
    if (begin >= end) continue;
    const Range part{begin - whole.begin, end - whole.begin};
    const auto into = values.subspan(static_cast<std::size_t>(begin - range.begin));
    if (parameter.initial.kind == InitialValues::Kind::of_data) {
      write_values_of_data(of_data, parameter, part, into);
    } else {
      write_initial_values(parameter.initial, {parameter.name, parameter.shape}, seed, part, into);
    }
  }
}

}  // namespace carrack::train
