#include "trainer/models/check.h"

#include <algorithm>

#include "trainer/error.h"
#include "trainer/graph/gradient.h"
#include "trainer/graph/memory_plan.h"
#include "trainer/launch/edit_distance.h"
#include "trainer/models/check_layers.h"
#include "trainer/models/check_own.h"
#include "trainer/models/layer_kinds.h"
#include "trainer/models/layers.h"

namespace carrack::train {
namespace {

// Converts an error of the graph to a problem of a field. The message of the error has the path of the field before the
// first ": ", and the text of the problem after it.
ModelProblem problem_of(const Error& error) {
  const std::string text = error.what();
  const std::size_t end = text.find(": ");
  return {text.substr(0, end), text.substr(end + 2)};
}

class Problems {
 public:
  explicit Problems(const Data& data) : data_(data) {}

  // Also builds the graph, because only that shows whether the sizes of the layers fit together.
  void check(const Layers& model) {
    found_ = problems_in(model, data_);
    if (!found_.empty()) return;
    try {
      std::int64_t elements = 0;
      bool trains = false;
      for (const Parameter& parameter : build(model, data_).parameters) {
        trains = trains || parameter.is_trained();
        constexpr std::int64_t far_too_many = std::int64_t{1} << 62;  // so that the sum does not overflow
        elements = std::min(elements, far_too_many) + element_count(parameter.shape);
      }
      if (!trains) found_.push_back({"spec.model.layers", "have nothing to train; add a Dense layer"});
      if (elements <= elements_max) return;
      found_.push_back({"spec.model.layers",
                        "have " + std::to_string(elements) + " parameters; must " + count_range("have", elements_max)});
    } catch (const Error& error) {
      if (error.blame() != Blame::user) throw;
      found_.push_back(problem_of(error));
    }
  }

  void check(const LinearRegression& model) {
    check_feature("spec.model.input", model.input, FeatureType::float32, elements_max);
    check_feature("spec.model.target", model.target, FeatureType::float32, 1);
    if (model.target == model.input)
      found_.push_back({"spec.model.target", "is spec.model.input; a model cannot predict a feature from itself"});
  }

  void check(const Tally& model) {
    check_feature("spec.model.record", model.record, FeatureType::int64, 1);
    if (!is_count(model.records, elements_max)) {
      found_.push_back(
          {"spec.model.records", "is " + std::to_string(model.records) + "; must " + count_range("be", elements_max)});
    }
  }

  void check(const OwnModel& model) { found_ = problems_in(model); }

  std::vector<ModelProblem> found() && { return std::move(found_); }

 private:
  static bool is_count(std::int64_t count, std::int64_t count_max) { return count >= 1 && count <= count_max; }

  static std::string count_range(const std::string& verb, std::int64_t count_max) {
    return verb + (count_max == 1 ? " 1" : " from 1 to " + std::to_string(count_max));
  }

  void check_feature(const std::string& field, const std::string& name, FeatureType type, std::int64_t size_max) {
    const auto feature = std::ranges::find(data_.features, name, &Feature::name);
    if (feature == data_.features.end()) {
      found_.push_back({field, unknown_feature(name, data_)});
      return;
    }
    if (feature->type != type) {
      found_.push_back({field, "'" + name + "' is " + std::string(spelled(feature->type)) +
                                   " in spec.data.features; must be " + std::string(spelled(type))});
    }
    if (!is_count(feature->size, size_max)) {
      found_.push_back({field, "'" + name + "' has " + std::to_string(feature->size) +
                                   " values in spec.data.features; must " + count_range("have", size_max)});
    } else if (const Shape shape = shape_of(*feature); shape.size() != 1) {
      found_.push_back({field, "'" + name + "' has the shape " + text(Dimensions(shape.begin(), shape.end())) +
                                   " in spec.data.features; must have one dimension"});
    }
  }

  const Data& data_;
  std::vector<ModelProblem> found_;
};

// Reports an output layer with Sigmoid if the loss applies the sigmoid itself. This is a problem of the job and not of
// the model, because checkpoints of such models must remain readable.
void check_activation(const Layers& model, std::vector<ModelProblem>& problems) {
  const Layer& last = model.layers.back();
  const auto is_sigmoid = [](const LayerValue& value) {
    const Choice* word = std::get_if<Choice>(&value);
    return word != nullptr && word->is_known() && word->text() == "Sigmoid";
  };
  if (model.loss.kind != LossKind::sigmoid_cross_entropy || std::ranges::none_of(last.values, is_sigmoid)) return;
  const bool is_all = last.kind->name == "Activation";
  problems.push_back(
      {"spec.model.layers[" + std::to_string(model.layers.size() - 1) + "].activation",
       std::string("is Sigmoid, and SigmoidCrossEntropy takes the sigmoid of the last layer itself; leave the ") +
           (is_all ? "layer" : "activation") + " out: the predictions are probabilities all the same"});
}

// Returns the names of all tensors or, with `changing_only`, of those that training changes.
std::vector<std::string> names_in(const Layout& layout, bool changing_only) {
  std::vector<std::string> names;
  for (const PlacedTensor& tensor : layout.tensors()) {
    if (!changing_only || !tensor.never_changes()) names.push_back(tensor.name);
  }
  return names;
}

// Returns the end of a message with the names most similar to `pattern`. Only the first problems get such a hint,
// because comparing many names takes long.
std::string nearest_names(const std::string& pattern, const std::vector<std::string>& names,
                          const std::vector<ModelProblem>& problems_so_far) {
  constexpr std::size_t names_max = 5, hints_max = 5, compared_size_max = 100;
  if (problems_so_far.size() >= hints_max) return "see the names in the first problems";
  std::vector<std::pair<std::size_t, std::size_t>> by_distance;  // distances, with indices in `names`
  for (std::size_t i = 0; i < names.size(); ++i) {
    by_distance.emplace_back(edit_distance(pattern.substr(0, compared_size_max), names[i].substr(0, compared_size_max)),
                             i);
  }
  std::ranges::sort(by_distance);
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < names_max; ++i) {
    text += (i == 0 ? "" : ", ") + names[by_distance[i].second];
  }
  return (names.size() <= names_max ? "the model has " : "the nearest are ") + text;
}

void check_groups(const std::vector<TensorGroup>& groups, const Layout& layout, std::vector<ModelProblem>& problems) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t j = 0; j < groups[i].tensors.size(); ++j) {
      const std::string& pattern = groups[i].tensors[j];
      const auto is_matched = [&](const PlacedTensor& tensor) { return matches_tensor(pattern, tensor.name); };
      if (std::ranges::any_of(layout.tensors(), is_matched)) continue;
      problems.push_back(
          {"spec.training.groups[" + std::to_string(i) + "].tensors[" + std::to_string(j) + "]",
           "'" + pattern + "' matches no tensor; " + nearest_names(pattern, names_in(layout, false), problems)});
    }
  }
  const bool are_all_frozen = std::ranges::all_of(layout.tensors(), [&](const PlacedTensor& tensor) {
    const TensorGroup* group = group_of(groups, tensor.name);
    return tensor.own_rate || (group != nullptr && is_frozen(*group));
  });
  if (are_all_frozen) problems.push_back({"spec.training.groups", "freeze every tensor; nothing is left to train"});
}

// Returns the problem with weights.names[i], or nullopt if there is none.
std::optional<ModelProblem> problem_in_name(const InitialWeights& weights, std::size_t i, const Layout& layout,
                                            const std::vector<ModelProblem>& problems_so_far) {
  const StoredName& name = weights.names[i];
  const std::string field = "spec.training.initialWeights.names[" + std::to_string(i) + "].";
  const auto found = std::ranges::find(layout.tensors(), name.tensor, &PlacedTensor::name);
  if (found == layout.tensors().end() || found->never_changes()) {
    return ModelProblem{field + "tensor", "'" + name.tensor + "' is not a tensor that changes; " +
                                              nearest_names(name.tensor, names_in(layout, true), problems_so_far)};
  }
  const auto is_of_it = [&](const std::string& pattern) { return matches_tensor(pattern, name.tensor); };
  if (std::ranges::none_of(weights.tensors, is_of_it)) {
    return ModelProblem{field + "tensor", "'" + name.tensor +
                                              "' matches nothing in spec.training.initialWeights.tensors, so it is not "
                                              "read; add it there, or leave it out here"};
  }
  const auto before = weights.names.begin() + static_cast<std::ptrdiff_t>(i);
  if (std::ranges::count(weights.names.begin(), before, name.tensor, &StoredName::tensor) > 0) {
    return ModelProblem{field + "tensor", "'" + name.tensor + "' has a name already; give it one"};
  }
  if (name.transposed && found->shape.size() != 2) {
    return ModelProblem{field + "transposed", "'" + name.tensor + "' has " + std::to_string(found->shape.size()) +
                                                  (found->shape.size() == 1 ? " dimension" : " dimensions") +
                                                  "; only a matrix can be transposed"};
  }
  return std::nullopt;
}

// Reports each pattern that matches no tensor that training changes. Tensors that never change are computed from the
// data, and not read from a file.
void check_initial_weights(const InitialWeights& weights, const Layout& layout, std::vector<ModelProblem>& problems) {
  for (std::size_t i = 0; i < weights.tensors.size(); ++i) {
    const std::string& pattern = weights.tensors[i];
    const auto is_matched = [&](const PlacedTensor& tensor) {
      return !tensor.never_changes() && matches_tensor(pattern, tensor.name);
    };
    if (std::ranges::any_of(layout.tensors(), is_matched)) continue;
    problems.push_back({"spec.training.initialWeights.tensors[" + std::to_string(i) + "]",
                        "'" + pattern + "' matches no tensor that changes; " +
                            nearest_names(pattern, names_in(layout, true), problems)});
  }
  for (std::size_t i = 0; i < weights.names.size(); ++i) {
    if (auto problem = problem_in_name(weights, i, layout, problems)) problems.push_back(*std::move(problem));
  }
}

// Reports a problem if a lane, or the share of a worker or GPU, may have a single record, and a BatchNorm of the model
// has one value for each record in a column. The output of that BatchNorm would be 0, because a single value equals its
// own mean.
void check_lanes(const Config& config, const Graph& graph, std::vector<ModelProblem>& problems) {
  const Training& training = config.training;
  const auto leaves_nothing = [&](const Node& node) {
    if (node.op->name != "BatchNormalization") return false;
    const Dimensions& shape = graph.value(node.inputs[0]).shape;
    return values_per_record(shape) == shape.back().count;
  };
  if (std::ranges::none_of(graph.nodes(), leaves_nothing)) return;
  if (!training.deterministic) {
    const std::int64_t workers = training.consistency == Consistency::sync ? std::max(config.workers.max, 1) : 1;
    const std::int64_t shares = workers * std::max(config.worker_gpus, 1);
    if (training.batch >= 2 * shares) return;
    const bool on_gpus = config.worker_gpus > 0;
    problems.push_back({"spec.training.batch",
                        "is " + std::to_string(training.batch) + ", so each of up to " + std::to_string(shares) +
                            (on_gpus ? " GPUs" : " workers") +
                            " has less than two records of it, and BatchNorm needs two or more; set a larger batch, or "
                            "fewer workers" +
                            (on_gpus ? " or GPUs" : "")});
    return;
  }
  if (training.batch >= 2 * std::int64_t{training.lanes}) return;
  problems.push_back({"spec.training.lanes",
                      "is " + std::to_string(training.lanes) + ", so lanes of a batch of " +
                          std::to_string(training.batch) +
                          " have one record, and BatchNorm needs two or more; set fewer lanes, or a larger batch"});
}

// A Tally is a model for tests: each use of a record must add exactly one to its parameter. Returns true if the
// settings allow that. All settings that are not listed here must have their defaults, so a new setting that changes
// updates is refused without a change of this function.
bool counts_records(const Training& training) {
  Training plain;
  plain.batch = training.batch;
  plain.lanes = training.lanes;
  plain.epochs = training.epochs;
  plain.seed = training.seed;
  plain.consistency = training.consistency;
  plain.max_staleness = training.max_staleness;
  plain.deterministic = training.deterministic;
  plain.reduction = Reduction::sum;
  plain.optimizer = Sgd{1.0};
  return training == plain;
}

}  // namespace

std::vector<ModelProblem> problems_in(const Model& model, const Data& data) {
  Problems problems(data);
  std::visit([&](const auto& kind) { problems.check(kind); }, model);
  return std::move(problems).found();
}

std::vector<ModelProblem> problems_in(const Config& config) {
  std::vector<ModelProblem> problems = problems_in(config.model, config.data);
  if (problems.empty()) {
    const ModelGraph model = model_graph(config.model, config.data);
    const Layout layout = layout_of(model);
    const std::int64_t blocks = layout.block_count();
    const std::string count = std::to_string(blocks);
    if (config.ps.max > blocks) {
      problems.push_back({"spec.replicas.ps", "is " + std::to_string(config.ps.max) + "; the model has " + count +
                                                  (blocks == 1 ? " block" : " blocks") + " of parameters, so at most " +
                                                  count});
    }
    check_groups(config.training.groups, layout, problems);
    if (const auto& weights = config.training.initial_weights) check_initial_weights(*weights, layout, problems);
    check_lanes(config, model.graph, problems);
    if (const auto* network = std::get_if<Layers>(&config.model)) check_activation(*network, problems);
  }
  if (is_own(config.model)) {
    for (ModelProblem& problem : problems_of_own(config)) problems.push_back(std::move(problem));
  }
  if (std::holds_alternative<Tally>(config.model) && config.data.evaluation) {
    problems.push_back({"spec.data.eval", "Tally counts records and has nothing to evaluate; leave it out"});
  }
  if (std::holds_alternative<Tally>(config.model) && !counts_records(config.training)) {
    problems.push_back({"spec.model.kind",
                        "Tally counts with reduction Sum and optimizer SGD at learningRate 1 only, without momentum, "
                        "schedule, clip, groups and initialWeights; set them in spec.training"});
  }
  return problems;
}

std::variant<ModelSizes, std::vector<ModelProblem>> check(const Model& model, const Data& data, std::int64_t rows_max) {
  std::vector<ModelProblem> problems = problems_in(model, data);
  if (!problems.empty()) return problems;
  const ModelGraph graph = model_graph(model, data);
  const Layout layout = layout_of(graph);
  std::int64_t workspace_bytes = 0;
  if (graph.loss) workspace_bytes = memory_plan(gradients(graph.graph, *graph.loss), rows_max).bytes;
  return ModelSizes{layout.size(), layout.block_count(), workspace_bytes};
}

}  // namespace carrack::train
