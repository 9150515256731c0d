#include "trainer/models/check_layers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "trainer/launch/overloaded.h"
#include "trainer/models/layers.h"

namespace carrack::train {
namespace {

constexpr std::ptrdiff_t known_max = 20;  // maximum number of names that a message lists
constexpr std::size_t name_bytes_max = 256;
constexpr double delta_min = 1e-30, delta_max = 1e30;

std::string text_of(double number) {
  char digits[40];
  return {digits, std::to_chars(std::begin(digits), std::end(digits), number).ptr};
}

class Check {
 public:
  Check(const Layers& model, const Data& data) : model_(model), data_(data), names_(names_of(model.layers)) {}

  std::vector<ModelProblem> problems() && {
    if (model_.layers.empty()) report("spec.model.layers", "is empty; a model has at least one layer");
    for (std::size_t i = 0; i < model_.layers.size(); ++i) {
      path_ = "spec.model.layers[" + std::to_string(i) + "]";
      check_values(model_.layers[i]);
      check_name(i);
      check_inputs(i);
    }
    const auto target = static_cast<std::size_t>(std::ranges::find(names_, model_.loss.target) - names_.begin());
    used_.insert(target);
    check_outputs();
    check_loss(model_.loss);
    return std::move(problems_);
  }

 private:
  void report(std::string field, std::string text) { problems_.push_back({std::move(field), std::move(text)}); }

  void check_range(const std::string& field, double value, double min, double max) {
    if (value >= min && value <= max) return;
    report(field, "is " + text_of(value) + "; must be from " + text_of(min) + " to " + text_of(max));
  }

  void check_values(const Layer& layer) {
    for (std::size_t i = 0; i < layer.values.size(); ++i) {
      const LayerField& field = layer.kind->fields[i];
      const auto check = [&](double value) {
        check_range(path_ + "." + std::string(field.name), value, field.min, field.max);
      };
      std::visit(
          overloaded{[&](std::int64_t value) { check(static_cast<double>(value)); },
                     [&](double value) { check(value); },
                     [&](const Shape& shape) { check_shape(path_ + "." + std::string(field.name), shape, field); },
                     [](const auto&) {}},
          layer.values[i]);
    }
  }

  void check_shape(const std::string& name, const Shape& shape, const LayerField& field) {
    const bool is_shape = std::holds_alternative<NoShape>(field.initial);
    const std::size_t most = is_shape ? dimensions_max : 2;
    if (shape.empty() || shape.size() > most) {
      report(name, "has " + std::to_string(shape.size()) + (is_shape ? " dimensions" : " numbers") +
                       "; must have from 1 to " + std::to_string(most));
    }
    for (std::size_t i = 0; i < shape.size(); ++i) {
      check_range(name + "[" + std::to_string(i) + "]", static_cast<double>(shape[i]), field.min, field.max);
    }
  }

  // Layers and features must have different names, because the same fields of the manifest refer to both. Names of
  // layers must not contain '/', because the names of tensors, such as `layer/kernel`, would be ambiguous.
  void check_name(std::size_t i) {
    const std::string& name = names_[i];
    if (std::count(names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(i), name) > 0) {
      report(path_ + ".name", "'" + name + "' is the name of an earlier layer");
    }
    if (feature(name) != nullptr) report(path_ + ".name", "'" + name + "' is a feature of spec.data.features");
    if (name.find('/') != name.npos) report(path_ + ".name", "'" + name + "' contains a '/'");
    if (name.size() > name_bytes_max) {
      report(path_ + ".name", "has more than " + std::to_string(name_bytes_max) + " characters");
    }
    if (!std::ranges::all_of(name, [](char one) { return one > ' ' && one <= '~'; })) {
      report(path_ + ".name",
             "'" + name + "' contains a blank, or a character that is not ASCII; tensors are named by it");
    }
  }

  void check_inputs(std::size_t i) {
    const Layer& layer = model_.layers[i];
    if (layer.inputs.empty()) {
      if (i == 0) {
        report(path_ + ".inputs", "is missing; the first layer has none before it, name a feature");
      } else {
        used_.insert(i - 1);
      }
    }
    if (layer.inputs.size() > 1 && !layer.kind->takes_several) {
      report(path_ + ".inputs",
             "are " + std::to_string(layer.inputs.size()) + "; " + std::string(layer.kind->name) + " reads one");
    }
    for (std::size_t input = 0; input < layer.inputs.size(); ++input) {
      check_input(path_ + ".inputs[" + std::to_string(input) + "]", layer.inputs[input], i);
    }
    const bool reads_layer = layer.inputs.empty() || std::ranges::find(names_, layer.inputs.front()) != names_.end();
    if (!reads_layer || i == 0) return;
    if (layer.kind->reads_numbers) {
      report(path_ + ".inputs", std::string(layer.kind->name) + " reads an int64 or text feature, not another layer");
    } else if (layer.kind->standardizes) {
      report(path_ + ".inputs", std::string(layer.kind->name) +
                                    " reads a float32 feature, not another layer: its mean and deviation are those "
                                    "of the data");
    }
  }

  void check_input(const std::string& field, const std::string& name, std::size_t layer) {
    if (feature(name) != nullptr) {
      const LayerKind& kind = *model_.layers[layer].kind;
      const bool numbers = kind.reads_numbers;
      const Feature* read = check_feature(field, name, numbers ? FeatureType::int64 : FeatureType::float32,
                                          numbers ? std::string(kind.name) + " reads " : "");
      if (read != nullptr && read->type == FeatureType::text) check_rows(model_.layers[layer], *read);
      return;
    }
    const auto found = static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin());
    if (found < layer) {
      used_.insert(found);
    } else if (found < names_.size()) {
      report(field, "'" + name + "' is not before this layer; a layer can only read earlier ones");
    } else {
      report(field, "'" + name + "' is neither a feature nor an earlier layer; " + known(layer));
    }
  }

  // Reports a layer whose table has fewer rows than the text feature has ids. A string becomes an id, and the id
  // selects a row.
  void check_rows(const Layer& layer, const Feature& text) {
    const auto rows = layer.get<std::int64_t>("vocabulary");
    if (rows >= id_count(text)) return;
    report(path_ + ".vocabulary", "is " + std::to_string(rows) + "; must be at least " +
                                      std::to_string(id_count(text)) + ", as many as '" + text.name +
                                      "' has words and buckets in spec.data.features");
  }

  // Returns text such as "there are x, y, dense": what layer number `layer` can read, the features and earlier layers.
  std::string known(std::size_t layer) const {
    std::vector<std::string> all;
    for (const Feature& feature : data_.features) all.push_back(feature.name);
    all.insert(all.end(), names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(layer));
    if (all.size() > known_max) all.erase(all.begin(), all.end() - known_max);  // keeps the nearest layers
    std::string text = "there are";
    for (const std::string& one : all) text += (&one == &all.front() ? " " : ", ") + one;
    return text;
  }

  void check_outputs() {
    for (std::size_t i = 0; i + 1 < names_.size(); ++i) {
      if (used_.contains(i)) continue;
      report("spec.model.layers[" + std::to_string(i) + "]",
             "'" + names_[i] + "' is read by no other layer; only the last one may be");
    }
  }

  void check_loss(const Loss& loss) {
    const bool has_labels = loss.kind == LossKind::softmax_cross_entropy;
    check_target(loss, has_labels);
    if (loss.kind == LossKind::huber) check_range("spec.model.loss.delta", loss.delta, delta_min, delta_max);
    if (has_labels && !loss.mask.empty()) {
      report("spec.model.loss.mask", "SoftmaxCrossEntropy has no time steps; leave the mask out");
    } else if (!loss.mask.empty()) {
      check_feature("spec.model.loss.mask", loss.mask, FeatureType::float32, "");
    }
    if (loss.weight.empty()) return;
    const Feature* weight = check_feature("spec.model.loss.weight", loss.weight, FeatureType::float32, "");
    if (weight != nullptr && shape_of(*weight) != Shape{1}) {
      report("spec.model.loss.weight", "'" + loss.weight + "' " + values_of(*weight) + "; must have 1");
    }
  }

  void check_target(const Loss& loss, bool has_labels) {
    const std::string field = "spec.model.loss.target", kind(spelled(loss.kind));
    if (const auto layer = std::ranges::find(names_, loss.target); layer != names_.end()) {
      return check_target(field, kind, model_.layers[static_cast<std::size_t>(layer - names_.begin())], loss);
    }
    const Feature* target =
        check_feature(field, loss.target, has_labels ? FeatureType::int64 : FeatureType::float32, kind + " needs ");
    if (has_labels && target != nullptr && shape_of(*target) != Shape{1}) {
      report(field, "'" + loss.target + "' " + values_of(*target) + "; must have 1, the number of the class");
    }
  }

  // Checks a target that is a layer. The layer must standardize a feature. The loss must compare numbers, because
  // standardized values are neither classes nor from 0 to 1.
  void check_target(const std::string& field, const std::string& kind, const Layer& layer, const Loss& loss) {
    const bool compares_numbers =
        loss.kind != LossKind::softmax_cross_entropy && loss.kind != LossKind::sigmoid_cross_entropy;
    if (!layer.kind->standardizes) {
      report(field, "'" + loss.target + "' is a layer of kind " + std::string(layer.kind->name) +
                        "; must be a feature, or a layer that standardizes one");
    } else if (!compares_numbers) {
      report(field, "'" + loss.target + "' is a layer; " + kind + " needs a feature");
    }
  }

  // Returns text such as "has 3 values in spec.data.features".
  static std::string values_of(const Feature& feature) {
    const Shape shape = shape_of(feature);
    const std::string values = shape.size() == 1 ? std::to_string(feature.size) + " values"
                                                 : "the shape " + text(Dimensions(shape.begin(), shape.end()));
    return "has " + values + " in spec.data.features";
  }

  const Feature* feature(const std::string& name) const {
    const auto found = std::ranges::find(data_.features, name, &Feature::name);
    return found == data_.features.end() ? nullptr : &*found;
  }

  // Returns the feature, or reports a problem and returns null. `type` is the type as which the model reads it, float32
  // or int64. `why` begins the text about a wrong type, such as "Embedding reads "; empty: "must be ".
  const Feature* check_feature(const std::string& field, const std::string& name, FeatureType type,
                               const std::string& why) {
    const Feature* found = feature(name);
    if (found == nullptr) {
      report(field, unknown_feature(name, data_));
    } else if (model_type(found->type) != model_type(type)) {
      report(field, "'" + name + "' is " + std::string(spelled(found->type)) + " in spec.data.features; " +
                        (why.empty() ? "must be " : why) + std::string(spelled(type)));
    } else if (found->size < 1 || found->size > elements_max) {
      report(field, "'" + name + "' has " + std::to_string(found->size) +
                        " values in spec.data.features; must have from 1 to " + std::to_string(elements_max));
    } else {
      return found;
    }
    return nullptr;
  }

  const Layers& model_;
  const Data& data_;
  std::vector<std::string> names_;  // the names of the layers
  std::string path_;                // the path of the layer that is being checked
  std::set<std::size_t> used_;      // the indices of layers that another layer or the loss reads
  std::vector<ModelProblem> problems_;
};

}  // namespace

std::vector<ModelProblem> problems_in(const Layers& model, const Data& data) {
  return Check(model, data).problems();
}

}  // namespace carrack::train
