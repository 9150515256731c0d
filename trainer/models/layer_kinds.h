// What each kind of layer computes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/graph/graph.h"
#include "trainer/launch/layers.h"
#include "trainer/models/model.h"

namespace carrack::train {

// Inference leaves out what is only there while a model is trained.
enum class ModelUse { training, inference };

// Of biases.
inline constexpr InitialValues zeros{InitialValues::Kind::constant, 0};
// How far from 0 the rows of tables are drawn, as Keras has it.
inline constexpr float embedding_limit = 0.05f;

// A layer that is being appended to a graph.
struct LayerBuilder {
  const Layer& layer;
  std::string name;
  std::vector<ValueId> inputs;
  Graph& graph;
  std::vector<Parameter>& parameters;  // of the model
  ModelUse use = ModelUse::training;

  const Value& input() const { return graph.value(inputs.front()); }
  // Declares a tensor, which is named `layer/suffix`. `own_rate` is that of its NamedShape.
  ValueId parameter(std::string_view suffix, const Shape& shape, InitialValues initial,
                    std::optional<double> own_rate = std::nullopt);
  // How weights of this shape are drawn, by the initializer that the layer's field names. The last two dimensions are
  // inputs and units, and there are as many of both for each element of the others, as Keras has it.
  InitialValues drawn(std::string_view field, const Shape& shape) const;
  // The function that the layer's field `activation` names, of `x`.
  ValueId activate(ValueId x);
  // `x` in another shape.
  ValueId reshape(ValueId x, const Dimensions& shape);
  // Both throw an Error for the user.
  [[noreturn]] void refuse_without_steps() const;
  [[noreturn]] void refuse(const std::string& what) const;
};

// Of a value with the shape [rows, ...].
std::int64_t values_per_record(const Dimensions& shape);

// Appends the layer and returns its output: its input if it changes nothing, as an Activation Linear. Throws an Error
// for the user if the inputs do not fit.
ValueId append_layer(LayerBuilder builder);

}  // namespace carrack::train
