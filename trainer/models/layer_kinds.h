// Appends layers to a graph: what each kind of layer computes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/graph/graph.h"
#include "trainer/launch/layers.h"
#include "trainer/models/model.h"

namespace carrack::train {

// A graph for inference leaves out what a model needs only while it is trained, such as dropout.
enum class ModelUse { training, inference };

// The initial values of biases.
inline constexpr InitialValues zeros{InitialValues::Kind::constant, 0};
// Rows of embedding tables are drawn uniformly from -embedding_limit to embedding_limit, as in Keras.
inline constexpr float embedding_limit = 0.05f;

// A layer that is being appended to a graph. The referenced objects must outlive it.
struct LayerBuilder {
  const Layer& layer;
  // The name of the layer; its tensors are named `name/kernel` and so on.
  std::string name;
  std::vector<ValueId> inputs;  // at least one
  Graph& graph;
  std::vector<Parameter>& parameters;  // all parameters of the model; new ones are appended
  ModelUse use = ModelUse::training;

  // Returns the first input. The reference is valid until something is declared or appended in the graph.
  const Value& input() const { return graph.value(inputs.front()); }
  // Declares a tensor, which is named `name/suffix`, and appends it to `parameters`. `own_rate` is NamedShape::own_rate
  // (layout.h). Throws Error with Blame::user if the tensor has more than 2^54 elements.
  ValueId parameter(std::string_view suffix, const Shape& shape, InitialValues initial,
                    std::optional<double> own_rate = std::nullopt);
  // Returns the initial values of weights of this shape, by the initializer that the layer's field `field` names. The
  // last two dimensions are inputs and units; the product of the dimensions before them multiplies both, as in Keras.
  // Throws Error with Blame::user if the shape has more than orthogonal_elements_max elements and the initializer is
  // Orthogonal, or more than 2^54 elements.
  InitialValues drawn(std::string_view field, const Shape& shape) const;
  // Applies the activation function that the layer's field `activation` names to `x`. Returns `x` itself for Linear.
  ValueId activate(ValueId x);
  // Returns the elements of `x` in another shape.
  ValueId reshape(ValueId x, const Dimensions& shape);
  // Throw Error with Blame::user; the message begins with the path of the layer in the manifest.
  [[noreturn]] void refuse_without_steps() const;
  [[noreturn]] void refuse(const std::string& what) const;
};

// Returns the number of values of each record, for a value with the shape [rows, ...].
std::int64_t values_per_record(const Dimensions& shape);

// Appends the layer and returns its output. Returns the input of a layer that changes nothing, such as an Activation
// Linear. Throws Error with Blame::user if the inputs do not fit, or if the output has more than elements_max values
// for each record.
ValueId append_layer(LayerBuilder builder);

}  // namespace carrack::train
