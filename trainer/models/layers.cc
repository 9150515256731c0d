#include "trainer/models/layers.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <utility>

#include "trainer/error.h"
#include "trainer/models/layer_kinds.h"

namespace carrack::train {
namespace {

// True if the layer is the target of the loss, and no other layer reads it. A layer without `inputs` reads the layer
// before it, so the next layer must have `inputs`.
bool is_of_loss_alone(const Layers& model, const std::vector<std::string>& names, std::size_t layer) {
  if (names[layer] != model.loss.target || layer + 1 == names.size()) return false;
  const auto reads_it = [&](const Layer& other) {
    return std::ranges::find(other.inputs, names[layer]) != other.inputs.end();
  };
  return !model.layers[layer + 1].inputs.empty() && std::ranges::none_of(model.layers, reads_it);
}

// Builds the graph of a network, layer by layer.
class Network {
 public:
  Network(const Data& data, ModelUse use) : data_(data), use_(use) {}

  // With Losses::left_out, skips layers that only the loss reads.
  void append(const Layers& model, Losses losses) {
    const std::vector<std::string> names = names_of(model.layers);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (losses == Losses::left_out && is_of_loss_alone(model, names, i)) continue;
      graph_.set_path("spec.model.layers[" + std::to_string(i) + "]");
      append(model.layers[i], names[i]);
    }
  }

  // Appends the loss of each record, as [rows, 1].
  ValueId record_losses(const Loss& loss) {
    graph_.set_path("spec.model.loss");
    const ValueId target = value(loss.target);
    ValueId losses = losses_of(loss, target);
    if (!loss.mask.empty()) losses = masked(losses, value(loss.mask));
    const Dimensions shape = graph_.value(losses).shape;
    const std::int64_t count = values_per_record(shape);  // the loss of a record is the mean of this many values
    if (shape.size() > 2) {
      losses = graph_.append("Reshape", {{"shape", Dimensions{batch_rows, count}}}, {losses}, "losses");
    }
    if (count == 1 && loss.weight.empty()) return losses;
    // Weights and the factor of the mean are applied to the loss of each record here, before the sum over records. So
    // the sums of lanes (shares of a batch) only need to be added.
    losses = graph_.append("ReduceSum", {{"axes", std::vector<std::int64_t>{1}}}, {losses}, "sums");
    if (!loss.weight.empty()) losses = graph_.mul("weighted", losses, value(loss.weight));
    if (count > 1) {
      const float factor = 1 / static_cast<float>(count);
      losses = graph_.mul("means", losses, graph_.append("Constant", {{"value", factor}}, {}, "factor"));
    }
    return losses;
  }

  ModelGraph trained(const Loss& loss) && {
    const ValueId sum = graph_.reduce_sum("loss", record_losses(loss), 0, 2);
    graph_.set_path("spec.model");
    return {std::move(parameters_), std::move(features_),    std::move(graph_), sum,
            std::move(layers_),     std::move(standardized_)};
  }

  InferenceGraph computed(const Loss& loss, Losses losses) && {
    std::optional<ValueId> of_records;
    if (losses == Losses::computed) of_records = record_losses(loss);
    graph_.set_path("spec.model");
    const auto target = values_.find(loss.target);
    return {std::move(features_), std::move(graph_), last_, of_records,
            target == values_.end() ? std::nullopt : std::optional(target->second)};
  }

 private:
  void append(const Layer& layer, const std::string& name) {
    std::vector<ValueId> inputs;
    for (const std::string& input : layer.inputs) inputs.push_back(value(input));
    if (inputs.empty()) inputs.push_back(last_);
    if (layer.kind->standardizes) {
      standardized_.push_back({name, layer.inputs.front(), graph_.value(inputs.front()).shape.back().count});
    }
    const std::size_t before = parameters_.size();
    last_ = append_layer({layer, name, std::move(inputs), graph_, parameters_, use_});
    values_[name] = last_;
    layers_.push_back({name, last_, parameters_.size() - before});
  }

  // Returns a feature, or the output of an earlier layer. A feature becomes an input of the graph when it is first
  // read.
  ValueId value(const std::string& name) {
    if (const auto found = values_.find(name); found != values_.end()) return found->second;
    const Feature& feature = *std::ranges::find(data_.features, name, &Feature::name);
    const Type type = model_type(feature.type) == FeatureType::int64 ? Type::int64 : Type::float32;
    features_.push_back(feature);
    return values_[name] = graph_.input(name, type, shape_of(feature));
  }

  // Appends the losses. SoftmaxCrossEntropy has one for each record. Other kinds have one for each value of the output,
  // and refuse a target of another shape, because broadcasting would compare values that do not belong together.
  ValueId losses_of(const Loss& loss, ValueId target) {
    const Value &output = graph_.value(last_), &wanted = graph_.value(target);
    if (loss.kind == LossKind::softmax_cross_entropy) {
      check_classes(loss.target, output.shape.back().count);
      return graph_.append("SoftmaxCrossEntropyLoss", {}, {last_, target},
                           std::vector<std::string>{"losses", "log"})[0];
    }
    if (output.shape != wanted.shape) {
      throw Error(Blame::user, graph_.path() + ": compares " + text(output) + " with " + text(wanted) +
                                   "; both must have the same shape");
    }
    switch (loss.kind) {
      case LossKind::mse: {
        const ValueId difference = graph_.sub("difference", last_, target);
        return graph_.mul("squares", difference, difference);
      }
      case LossKind::mae:
        return graph_.append("Abs", {}, {graph_.sub("difference", last_, target)}, "losses");
      case LossKind::huber:
        return graph_.append("HuberLoss", {{"delta", static_cast<float>(loss.delta)}}, {last_, target}, "losses");
      case LossKind::sigmoid_cross_entropy:
        return graph_.append("SigmoidCrossEntropyLoss", {}, {last_, target}, "losses");
      case LossKind::softmax_cross_entropy:
        break;
    }
    throw Error(Blame::bug, "a loss of no kind");
  }

  // If the labels are strings, which become ids, the last layer needs an output for each id. Throws Error with
  // Blame::user if it has fewer.
  void check_classes(const std::string& target, std::int64_t classes) const {
    const auto label = std::ranges::find(data_.features, target, &Feature::name);
    if (label == data_.features.end() || label->type != FeatureType::text || id_count(*label) <= classes) return;
    throw Error(Blame::user, graph_.path() + ": '" + target + "' has " + std::to_string(id_count(*label)) +
                                 " words and buckets in spec.data.features, and the last layer has " +
                                 std::to_string(classes) + " outputs; it needs one for each of them");
  }

  // Multiplies the losses of each time step by the step's value of the mask.
  ValueId masked(ValueId losses, ValueId mask) {
    const Dimensions shape = graph_.value(losses).shape;
    if (shape.size() < 3 || graph_.value(mask).shape != Dimensions(shape.begin(), shape.end() - 1)) {
      throw Error(Blame::user, graph_.path() + ": the mask " + text(graph_.value(mask)) +
                                   " does not have a value for each time step of " + text(graph_.value(last_)));
    }
    Dimensions steps = shape;
    steps.back() = 1;
    return graph_.mul("masked", losses, graph_.append("Reshape", {{"shape", steps}}, {mask}, "mask"));
  }

  const Data& data_;
  const ModelUse use_;
  Graph graph_{"spec.model"};
  std::vector<Parameter> parameters_;
  std::vector<Feature> features_;
  std::vector<LayerOutput> layers_;
  std::vector<Standardized> standardized_;
  std::map<std::string, ValueId> values_;  // features and outputs of layers, by name
  ValueId last_ = 0;                       // the output of the last layer
};

}  // namespace

std::vector<std::string> names_of(const std::vector<Layer>& layers) {
  std::vector<std::string> names;
  std::map<std::string, int> counts;
  for (const Layer& layer : layers) {
    std::string& name = names.emplace_back(layer.name);
    if (!name.empty()) continue;
    for (const char c : layer.kind->name) name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (const int before = counts[name]++; before > 0) name += "_" + std::to_string(before);
  }
  return names;
}

ModelGraph build(const Layers& model, const Data& data) {
  Network network(data, ModelUse::training);
  network.append(model, Losses::computed);
  return std::move(network).trained(model.loss);
}

InferenceGraph inference(const Layers& model, const Data& data, Losses losses) {
  Network network(data, ModelUse::inference);
  network.append(model, losses);
  return std::move(network).computed(model.loss, losses);
}

}  // namespace carrack::train
