// The layers of `spec.model.layers` as data: a table of their kinds and fields. The decoder of manifests, the launch
// file and the reference go by this table; models/layers.h says what each kind computes. Pure.
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

// A text that is one of some words, which live as long as the process.
class Word {
 public:
  constexpr explicit Word(std::span<const std::string_view> words = {}, std::size_t chosen = 0)
      : words_(words), chosen_(chosen) {}

  // False, and unknown from then on, if `text` is not one of the words.
  bool choose(std::string_view text);
  bool is_known() const { return chosen_ < words_.size(); }
  // Of a known word.
  std::size_t index() const { return chosen_; }
  std::string_view text() const { return words_[chosen_]; }
  std::span<const std::string_view> words() const { return words_; }

  bool operator==(const Word& other) const { return words_.data() == other.words_.data() && chosen_ == other.chosen_; }

 private:
  std::span<const std::string_view> words_;
  std::size_t chosen_;
};

// Of one record's values, with those dimensions that a graph has beside the rows.
inline constexpr std::size_t dimensions_max = 3;

// A list of numbers is a shape.
using LayerValue = std::variant<bool, std::int64_t, double, Word, std::vector<std::int64_t>>;

// Of a field that is a shape, which is always required.
struct NoShape {};
// Of a field that is a height and a width, or one number for both.
struct OneOrTwo {
  std::int64_t standard = 1;
};
// Such a field, whose default is the value of the field `size` of the same layer, which is in front of it.
struct AsSize {};
using LayerDefault = std::variant<bool, std::int64_t, double, Word, NoShape, OneOrTwo, AsSize>;

struct LayerField {
  std::string_view name;
  LayerDefault initial;   // the default; it has the field's type even if the field is required
  std::string_view text;  // for users
  bool is_required = false;
  double min = 0, max = 0;  // of numbers, also of those in a list; both included
  int version = 5;          // of the launch file, from which on it has the field
};

struct LayerKind {
  std::string_view name;
  std::string_view text;  // for users
  std::span<const LayerField> fields;
  bool takes_several = false;  // whether it may have more than one input
  bool reads_numbers = false;  // whether its input is an int64 feature, as of other layers it is never
  bool standardizes = false;   // whether its input is a float32 feature, of whose values it needs mean and deviation
  int version = 5;             // of the launch file, from which on it has the kind
};

std::span<const LayerKind> layer_kinds();

struct Layer {
  Layer() : Layer(layer_kinds().front()) {}
  explicit Layer(const LayerKind& of_kind);

  // The value of a field that its kind has, with the type that it has there.
  template <class T>
  const T& get(std::string_view field) const {
    return std::get<T>(values[position_of(field)]);
  }
  template <class T>
  void set(std::string_view field, T value) {
    std::get<T>(values[position_of(field)]) = value;
  }

  bool operator==(const Layer&) const = default;

  const LayerKind* kind;            // an entry of layer_kinds()
  std::string name;                 // empty: named by its kind
  std::vector<std::string> inputs;  // features, and layers before this one; empty: the layer before
  std::vector<LayerValue> values;   // of kind->fields, in their order

 private:
  std::size_t position_of(std::string_view field) const;
};

// The kind as one of all kinds, and a layer of that kind, which must be known, with all fields at their defaults.
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
  std::string target = {};  // a feature, or a layer that standardizes one
  std::string weight = {};  // a feature by which a record's loss is multiplied; empty if there is none
  double delta = 1;         // of Huber
  std::string mask = {};    // a feature by which the loss of each time step is multiplied; empty if there is none
  bool operator==(const Loss&) const = default;
};

// A network: each layer reads the one before, or those that it names.
struct Layers {
  std::vector<Layer> layers;
  Loss loss;
  bool operator==(const Layers&) const = default;
};

// Whether a layer needs mean and deviation of a feature, which are computed of the training data.
bool needs_statistics(const Layers& model);

}  // namespace carrack::train
