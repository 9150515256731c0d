// The layers of `spec.model.layers` as data: a table of their kinds and fields. The decoder of manifests, the launch
// file and the reference all use this table; models/layers.h says what each kind computes. Pure.
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

// One word of a fixed list, which must live as long as the process.
class Word {
 public:
  constexpr explicit Word(std::span<const std::string_view> words = {}, std::size_t chosen = 0)
      : words_(words), chosen_(chosen) {}

  // Chooses `text`. If it is not in the list, returns false, and the word is unknown after that.
  bool choose(std::string_view text);
  bool is_known() const { return chosen_ < words_.size(); }
  // index() and text() need a known word.
  std::size_t index() const { return chosen_; }
  std::string_view text() const { return words_[chosen_]; }
  std::span<const std::string_view> words() const { return words_; }

  bool operator==(const Word& other) const { return words_.data() == other.words_.data() && chosen_ == other.chosen_; }

 private:
  std::span<const std::string_view> words_;
  std::size_t chosen_;
};

// The maximum number of dimensions of one record's values. A graph has one more dimension, for the rows.
inline constexpr std::size_t dimensions_max = 3;

// The value of a field. A list of numbers is a shape, or a height and a width.
using LayerValue = std::variant<bool, std::int64_t, double, Word, std::vector<std::int64_t>>;

// The default of a field that is a shape. Such a field is always required.
struct NoShape {};
// The default of a field that is a height and a width, or one number for both.
struct OneOrTwo {
  std::int64_t standard = 1;
};
// The default of a field that is a height and a width, and that takes the value of the field `size` by default. `size`
// comes before it in the same layer.
struct AsSize {};
using LayerDefault = std::variant<bool, std::int64_t, double, Word, NoShape, OneOrTwo, AsSize>;

struct LayerField {
  std::string_view name;
  LayerDefault initial;   // the default; its type is that of the field, even if the field is required
  std::string_view text;  // description for the user
  bool is_required = false;
  double min = 0, max = 0;  // limits of a number, or of each number in a list; both are included
  int version = 5;          // the first version of the launch file that has this field
};

struct LayerKind {
  std::string_view name;
  std::string_view text;  // description for the user
  std::span<const LayerField> fields;
  bool takes_several = false;  // it may have more than one input
  bool reads_numbers = false;  // its input must be an int64 feature, which no other kind reads
  bool standardizes = false;   // its input must be a float32 feature, of which it needs mean and deviation
  int version = 5;             // the first version of the launch file that has this kind
};

// Returns all kinds. They live as long as the process.
std::span<const LayerKind> layer_kinds();

struct Layer {
  Layer() : Layer(layer_kinds().front()) {}
  explicit Layer(const LayerKind& of_kind);

  // Returns the value of a field. The kind must have the field, with type T.
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

// kind_of() returns the layer's kind as a word in the list of all kinds. layer_of_kind() returns a layer of this kind,
// which must be known, with the defaults of all fields.
Word kind_of(const Layer& layer);
Layer layer_of_kind(const Word& kind);

enum class LossKind { mse, mae, huber, softmax_cross_entropy, sigmoid_cross_entropy };
template <>
inline constexpr Spelling<LossKind> spellings<LossKind>[] = {{LossKind::mse, "MSE"},
                                                             {LossKind::mae, "MAE"},
                                                             {LossKind::huber, "Huber"},
                                                             {LossKind::softmax_cross_entropy, "SoftmaxCrossEntropy"},
                                                             {LossKind::sigmoid_cross_entropy, "SigmoidCrossEntropy"}};

// Compares the output of the last layer with a target. The loss of a record is the mean over the output's values.
struct Loss {
  LossKind kind = LossKind::mse;
  std::string target = {};  // a feature, or a layer that standardizes a feature
  std::string weight = {};  // a feature by which each record's loss is multiplied; empty: no weights
  double delta = 1;         // used only by huber
  std::string mask = {};    // a feature by which the loss of each time step is multiplied; empty: no mask
  bool operator==(const Loss&) const = default;
};

// A network. Each layer reads the previous layer, or the inputs that it names.
struct Layers {
  std::vector<Layer> layers;
  Loss loss;
  bool operator==(const Layers&) const = default;
};

// True if a layer needs the mean and deviation of a feature, which are computed from the training data.
bool needs_statistics(const Layers& model);

}  // namespace carrack::train
