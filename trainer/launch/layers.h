// The layers of a model as a manifest's `spec.model.layers` lists them: Dense, LSTM and so on, with their fields. A
// table has the kinds of layers and, for each, its fields with names, types, defaults and limits. The decoder of
// manifests, the config file and the reference for users all use this table; models/layers.h says what each kind
// computes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "trainer/launch/spellings.h"

namespace carrack::train {

// The value of a field that is one word of a fixed list, such as "ReLU" of the activations. It has the list, too, which
// must live as long as the process.
class Choice {
 public:
  // Chooses the word with index `chosen`. With the size of the list, the choice is unknown.
  constexpr explicit Choice(std::span<const std::string_view> words = {}, std::size_t chosen = 0)
      : words_(words), chosen_(chosen) {}

  // Chooses `text`. If it is not in the list, returns false, and the choice is unknown after that.
  bool choose(std::string_view text);
  bool is_known() const { return chosen_ < words_.size(); }
  // The chosen word: its index in the list, and its text. Call these only if is_known(), which is not checked.
  std::size_t index() const { return chosen_; }
  std::string_view text() const { return words_[chosen_]; }
  std::span<const std::string_view> words() const { return words_; }  // the whole list

  bool operator==(const Choice& other) const {
    return words_.data() == other.words_.data() && chosen_ == other.chosen_;
  }

 private:
  std::span<const std::string_view> words_;
  std::size_t chosen_;
};

// The maximum number of dimensions of one record's values. A graph has one more dimension, for the rows.
inline constexpr std::size_t dimensions_max = 3;

// The value of a field of a layer. A list of numbers is a shape, or a height and a width.
using LayerValue = std::variant<bool, std::int64_t, double, Choice, std::vector<std::int64_t>>;

// The type and default of a field that is a list of numbers, for LayerField::initial.
//
// The field is a shape. It is always required.
struct NoShape {};
// The field is a height and a width, or one number for both. The default is the one number `standard`.
struct OneOrTwo {
  std::int64_t standard = 1;
};
// The field is a height and a width, as with OneOrTwo. The default is the value of the field `size`, which comes before
// it in the same layer.
struct AsSize {};
using LayerDefault = std::variant<bool, std::int64_t, double, Choice, NoShape, OneOrTwo, AsSize>;

// A field of a kind of layer, such as `units` of Dense.
struct LayerField {
  std::string_view name;
  LayerDefault initial;   // the default; its type is that of the field, even if the field is required
  std::string_view text;  // description for the user
  bool is_required = false;
  double min = 0, max = 0;  // limits of a number, or of each number in a list; both are included
  int version = 5;          // the first version of the config file that has this field
};

// A kind of layer, such as Dense.
struct LayerKind {
  std::string_view name;
  std::string_view text;  // description for the user
  std::span<const LayerField> fields;
  bool takes_several = false;  // it may have more than one input
  bool reads_numbers = false;  // its input must be an int64 or text feature, which no other kind reads
  bool standardizes = false;   // its input must be a float32 feature; it needs the feature's mean and deviation
  int version = 5;             // the first version of the config file that has this kind
};

// Returns the table of all kinds. They live as long as the process.
std::span<const LayerKind> layer_kinds();

// One layer of a model: its kind, and the values of the fields.
struct Layer {
  Layer() : Layer(layer_kinds().front()) {}
  // Makes a layer with the defaults of all fields; AsSize counts as 1, and a shape is empty. `of_kind` must be an
  // element of layer_kinds().
  explicit Layer(const LayerKind& of_kind);

  // get() returns and set() changes the value of a field, such as get<std::int64_t>("units"). A CHECK fails if the kind
  // has no such field; throws std::bad_variant_access if T is not the type of the field.
  template <class T>
  const T& get(std::string_view field) const {
    return std::get<T>(values[position_of(field)]);
  }
  template <class T>
  void set(std::string_view field, T value) {
    std::get<T>(values[position_of(field)]) = value;
  }

  bool operator==(const Layer&) const = default;

  const LayerKind* kind;            // never null; an element of layer_kinds()
  std::string name;                 // empty: the layer is named after its kind
  std::vector<std::string> inputs;  // names of features or earlier layers; empty: the previous layer
  std::vector<LayerValue> values;   // values of kind->fields, in their order

 private:
  std::size_t position_of(std::string_view field) const;
};

// kind_of() returns the name of the layer's kind as a choice among the names of all kinds. layer_of_kind() returns a
// layer of such a kind, which must be known, with the defaults of all fields.
Choice kind_of(const Layer& layer);
Layer layer_of_kind(const Choice& kind);

enum class LossKind { mse, mae, huber, softmax_cross_entropy, sigmoid_cross_entropy };
template <>
inline constexpr Spelling<LossKind> spellings<LossKind>[] = {{LossKind::mse, "MSE"},
                                                             {LossKind::mae, "MAE"},
                                                             {LossKind::huber, "Huber"},
                                                             {LossKind::softmax_cross_entropy, "SoftmaxCrossEntropy"},
                                                             {LossKind::sigmoid_cross_entropy, "SigmoidCrossEntropy"}};

// The loss, which compares the output of the last layer with a target. The loss of a record is the mean over the
// output's values.
struct Loss {
  LossKind kind = LossKind::mse;
  std::string target = {};  // a feature, or a layer that standardizes a feature
  std::string weight = {};  // a feature by which each record's loss is multiplied; empty: no weights
  double delta = 1;         // used only by huber
  std::string mask = {};    // a feature by which the loss of each time step is multiplied; empty: no mask
  bool operator==(const Loss&) const = default;
};

// A network, which is the model of most jobs. Each layer reads the previous layer, or the inputs that it names.
struct Layers {
  std::vector<Layer> layers;
  Loss loss;
  bool operator==(const Layers&) const = default;
};

// Returns whether a layer needs the mean and deviation of a feature, which are computed from the training data.
bool needs_statistics(const Layers& model);

}  // namespace carrack::train
