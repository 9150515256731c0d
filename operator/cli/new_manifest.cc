#include "operator/cli/new_manifest.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "dataloader/cli/summary/yaml_text.h"
#include "operator/codec/fields.h"
#include "operator/error.h"

namespace carrack::control {
namespace {

using data::cli::FoundFeature;
using data::cli::yaml_text;
using Kind = FoundFeature::Kind;
using std::to_string;

// Whole numbers become rows of an Embedding, or classes, only if all of them are below this number.
constexpr std::int64_t numbers_max = 10'000;
// The largest height and width in pixels. The manifest scales larger images down, because a dense layer has a weight
// for each pixel.
constexpr std::uint64_t image_side_max = 64;

[[noreturn]] void refuse(const std::string& text) {
  throw Error(Blame::user, text);
}

std::vector<std::string> names_of(const std::vector<FoundFeature>& features) {
  std::vector<std::string> names;
  for (const FoundFeature& feature : features) names.push_back(feature.name);
  return names;
}

// Returns the target if the user typed no --target: a feature with one of these names, in upper or lower case. If there
// are several, earlier names go first. Throws Error if there is none.
std::string likely_target(const std::vector<FoundFeature>& features) {
  constexpr std::string_view likely[] = {"y", "target", "label", "class"};
  for (const std::string_view word : likely) {
    for (const FoundFeature& feature : features) {
      std::string lower = feature.name;
      std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
      if (lower == word) return feature.name;
    }
  }
  refuse("--target: say which feature is to be predicted; " + list_known(names_of(features)));
}

// How the loss compares the output of the last layer with the target.
struct Goal {
  std::string loss;         // the line of the manifest with the loss
  std::uint64_t units = 1;  // the units of the last layer
  std::string what;         // what the units are, for a comment in the manifest
};

Goal goal_for(const FoundFeature& target) {
  const std::string name = yaml_text(target.name), field = "--target: '" + target.name + "' ";
  const std::string classes = "loss: {kind: SoftmaxCrossEntropy, target: " + name + "}";
  if (!target.reason.empty()) refuse(field + target.reason);
  if (target.kind == Kind::number) return {"loss: {kind: MSE, target: " + name + "}", target.size, "the prediction"};
  if (target.kind == Kind::image) refuse(field + "is an image; --model Autoencoder learns to restore images");
  if (target.size != 1) refuse(field + "has " + to_string(target.size) + " values; a class is one");
  if (target.kind == Kind::text) {
    if (target.words.empty())
      refuse(field + "is text with more than 16 different words; those are too many to be classes");
    return {classes, std::max<std::uint64_t>(target.words.size(), 2), "a value for each word"};
  }
  if (!target.largest || *target.largest >= numbers_max) {
    refuse(field + "holds whole numbers that are no classes, which are from 0 to " + to_string(numbers_max - 1) +
           "; to predict a quantity, convert it with --types " + target.name + "=float32");
  }
  return {classes, static_cast<std::uint64_t>(std::max<std::int64_t>(*target.largest, 1)) + 1,
          "a value for each class"};
}

// Composes a manifest from the features that were found in the records. text() returns it.
class Composer {
 public:
  Composer(const NewJob& job, const data::cli::RecordsFound& found) : job_(job), found_(found) {
    for (const FoundFeature& feature : found.features) taken_.insert(feature.name);
  }

  std::string text() {
    if (job_.model == "Autoencoder") {
      autoencoder();
    } else {
      predictor();
    }
    return head() + layers_ + "    " + loss_ + "\n" + tail();
  }

 private:
  void layer(const std::string& kind, const std::string& text, const std::string& comment = "") {
    layers_ += "    - {kind: " + kind + ", " + std::exchange(next_inputs_, "") + text + "}" +
               (comment.empty() ? "" : "  # " + comment) + "\n";
  }

  void feature(const FoundFeature& feature, const std::string& type) {
    features_ += "      " + yaml_text(feature.name) + ": " + type + "\n";
  }

  void leave_out(const FoundFeature& feature, const std::string& why) {
    left_out_ += "      # " + yaml_text(feature.name) + ": " + why + "\n";
  }

  // Returns a name for a layer that no feature and no other layer has. It is `wanted` with characters replaced that
  // names of tensors must not have.
  std::string layer_name(std::string wanted) {
    std::ranges::replace_if(
        wanted, [](char one) { return one <= ' ' || one > '~' || one == '/'; }, '_');
    while (!taken_.insert(wanted).second) wanted += "_";
    return wanted;
  }

  static std::string image_type(const FoundFeature& image) {
    return "{type: float32, image: {height: " + to_string(std::min(image.height, image_side_max)) +
           ", width: " + to_string(std::min(image.width, image_side_max)) + ", white: 1}}";
  }

  // Returns the feature's type as the manifest writes it. If only some of the records were read, the others may contain
  // more words, so a text feature gets hash buckets for unknown words. A target gets none: its words are classes.
  std::string type_of(FoundFeature found, bool is_target) const {
    if (found.kind == Kind::image) return image_type(found);
    if (found.kind == Kind::text && !found_.are_all && !is_target)
      found.buckets = std::max<std::uint64_t>(found.buckets, 10);
    return data::cli::manifest_type(found);
  }

  // Adds the feature, and the layers that turn it into numbers near 1. Returns the name of what the next layer reads:
  // the last of these layers, or the feature if it needs none. Empty if the feature is left out.
  std::string input(const FoundFeature& found) {
    if (!found.reason.empty() && !found.only_lacks_image_size) return leave_out(found, found.reason), "";
    const std::string name = yaml_text(found.name);
    if (found.kind == Kind::image) return feature(found, type_of(found, false)), found.name;
    const std::string layer_of = layer_name(found.name + "_in");
    if (found.kind == Kind::number) {
      feature(found, type_of(found, false));
      layer("Standardize", "name: " + yaml_text(layer_of) + ", inputs: [" + name + "]");
      return layer_of;
    }
    if (found.kind == Kind::whole && (!found.largest || *found.largest >= numbers_max)) {
      return leave_out(
                 found,
                 "holds whole numbers, which a layer reads as places in an Embedding alone; as quantities, convert "
                 "them with --types " +
                     found.name + "=float32"),
             "";
    }
    feature(found, type_of(found, false));
    return embedding(found, layer_of);
  }

  std::string embedding(const FoundFeature& found, const std::string& layer_of) {
    const std::uint64_t buckets = !found_.are_all ? std::max<std::uint64_t>(found.buckets, 10) : found.buckets;
    const std::uint64_t numbers =
        found.kind == Kind::text ? found.words.size() + buckets : static_cast<std::uint64_t>(*found.largest) + 1;
    const std::uint64_t units = numbers <= 4 ? 2 : numbers <= 64 ? 4 : 16;
    layer(
        "Embedding",
        "name: " + yaml_text(layer_of) + ", inputs: [" + yaml_text(found.name) +
            "], vocabulary: " + to_string(numbers) + ", units: " + to_string(units),
        found.kind == Kind::text ? "a row of trained values for each word" : "a row of trained values for each number");
    if (found.size == 1) return layer_of;
    const std::string row = layer_name(found.name + "_row");
    layer("Reshape", "name: " + yaml_text(row) + ", shape: [" + to_string(found.size * units) + "]");
    return row;
  }

  // Makes the next layer read all of these layers and features. If there are several, a layer joins them first.
  void join(const std::vector<std::string>& inputs, const std::string& name) {
    std::string all;
    for (const std::string& one : inputs) all += (all.empty() ? "" : ", ") + yaml_text(one);
    next_inputs_ = "inputs: [" + all + "], ";
    if (inputs.size() > 1) layer("Concat", "name: " + layer_name(name));
  }

  void predictor() {
    const std::string name = job_.target.empty() ? likely_target(found_.features) : job_.target;
    const auto target = std::ranges::find(found_.features, name, &FoundFeature::name);
    if (target == found_.features.end())
      refuse("--target: '" + name + "' is not a feature of the records; " +
             suggestion(name, names_of(found_.features)));
    const Goal goal = goal_for(*target);
    std::vector<std::string> inputs;
    if (job_.model == "LSTM") inputs.push_back(recurrent(*target));
    for (const FoundFeature& found : found_.features) {
      if (&found == &*target) {
        feature(found, type_of(found, true));
      } else if (!steps_.contains(found.name)) {
        const std::string last = input(found);
        if (!last.empty()) inputs.push_back(last);
      }
    }
    if (inputs.empty()) refuse(job_.files.front() + ": has no feature besides '" + name + "' from which to predict it");
    join(inputs, "all");
    if (job_.model == "MLP") layer("Dense", "units: 64, activation: ReLU");
    if (job_.model != "Linear") layer("Dense", "units: 32, activation: ReLU");
    layer("Dense", "units: " + to_string(goal.units), goal.what);
    loss_ = goal.loss;
  }

  // Adds the numeric features with the most values, and the layers that read them as time steps. Returns the name of
  // the last layer.
  std::string recurrent(const FoundFeature& target) {
    std::uint64_t steps = 1;
    const auto is_series = [&](const FoundFeature& found) {
      return &found != &target && found.reason.empty() && found.kind == Kind::number && found.size > 1;
    };
    for (const FoundFeature& found : found_.features) {
      if (is_series(found)) steps = std::max(steps, found.size);
    }
    if (steps == 1)
      refuse(
          "--model LSTM: needs a float32 feature of several values, which are its time steps; `carrack data convert` "
          "with "
          "--join puts columns together");
    std::vector<std::string> inputs;
    for (const FoundFeature& found : found_.features) {
      if (!is_series(found) || found.size != steps) continue;
      steps_.insert(found.name);
      feature(found, "{type: float32, shape: [" + to_string(steps) + ", 1]}  # time steps, and values of each");
      inputs.push_back(layer_name(found.name + "_in"));
      layer("Standardize", "name: " + yaml_text(inputs.back()) + ", inputs: [" + yaml_text(found.name) + "]");
    }
    join(inputs, "steps");
    const std::string name = layer_name("lstm");
    layer("LSTM", "name: " + name + ", units: 32");
    return name;
  }

  // Chooses an image, or else the numeric feature with the most values, and adds layers that compress and restore it.
  void autoencoder() {
    const FoundFeature* input = nullptr;
    for (const FoundFeature& found : found_.features) {
      const bool is_chosen = job_.target.empty() || job_.target == found.name;
      const bool is_usable = found.kind == Kind::image ? found.reason.empty() || found.only_lacks_image_size
                                                       : found.kind == Kind::number && found.reason.empty();
      const auto weight = [](const FoundFeature& one) {
        return one.kind == Kind::image ? ~std::uint64_t{0} : one.size;
      };
      if (is_chosen && is_usable && (input == nullptr || weight(found) > weight(*input))) input = &found;
    }
    if (input == nullptr)
      refuse("--model Autoencoder: needs a float32 feature or an image" +
             (job_.target.empty() ? "" : " as --target; '" + job_.target + "' is none"));
    for (const FoundFeature& found : found_.features) {
      if (&found != input) leave_out(found, "is not read by this model");
    }
    const bool is_image = input->kind == Kind::image;
    feature(*input, type_of(*input, true));
    const std::uint64_t size =
        is_image ? std::min(input->height, image_side_max) * std::min(input->width, image_side_max) * 3 : input->size;
    std::string target = yaml_text(input->name);
    if (!is_image) {
      target = yaml_text(layer_name(input->name + "_in"));
      layer("Standardize", "name: " + target + ", inputs: [" + yaml_text(input->name) + "]");
    }
    const std::string first = is_image ? "inputs: [" + target + "], " : "";
    layer("Dense", first + "units: 64, activation: ReLU");
    layer("Dense", "name: " + layer_name("code") + ", units: " + to_string(std::clamp<std::uint64_t>(size / 4, 1, 32)),
          "what is left of each record");
    layer("Dense", "units: 64, activation: ReLU");
    layer("Dense", "units: " + to_string(size), "the record again");
    loss_ = "loss: {kind: MSE, target: " + target + "}";
  }

  std::string head() const {
    return "# Made by `carrack init` for " + to_string(found_.records) +
           " records. Change what you like; the reference describes every\n"
           "# field (docs/reference/trainingjob.md) and layer (docs/reference/layers.md).\n"
           "apiVersion: carrack.dev/v1alpha1\nkind: TrainingJob\nmetadata:\n  name: " +
           job_.name +
           "\nspec:\n"
           "  strategy: Single  # one process; ParameterServer divides the work among several\n"
           "  model:\n    layers:\n";
  }

  std::string tail() const {
    std::string files;
    for (const std::string& file : job_.files) files += (files.empty() ? "" : ", ") + yaml_text(file);
    return "  data:\n    train: {files: [" + files +
           "]}\n"
           "    # Records that are not trained on, with which each checkpoint is evaluated:\n"
           "    # eval: {files: [held-out.tfrecord]}\n"
           "    features:\n" +
           features_ + left_out_ +
           "  training:\n    batch: 32\n    epochs: 10\n    optimizer: {kind: Adam, learningRate: 0.001}\n"
           "  # `carrack run` puts checkpoints into its own folder; on a cluster, and to keep them apart, name one:\n"
           "  # checkpoint: {folder: \"gs://BUCKET/" +
           job_.name + "\"}\n";
  }

  const NewJob& job_;
  const data::cli::RecordsFound& found_;
  std::set<std::string> taken_ = {};  // the names of all features and of the layers so far
  std::set<std::string> steps_ = {};  // features that are read as time steps
  std::string next_inputs_ = {};      // the inputs of the next layer; empty: the previous layer
  std::string layers_ = {}, features_ = {}, left_out_ = {}, loss_ = {};
};

}  // namespace

const std::vector<std::string>& model_words() {
  static const std::vector<std::string> words{"Linear", "MLP", "LSTM", "Autoencoder"};
  return words;
}

std::string new_manifest(const NewJob& job, const data::cli::RecordsFound& found) {
  return Composer(job, found).text();
}

}  // namespace carrack::control
