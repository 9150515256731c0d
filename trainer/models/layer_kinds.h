// Defines what each kind of layer in spec.model.layers (Dense, LSTM, ...) computes: append_layer() appends the
// operators of a layer to the graph of a model. layers.h calls it for each layer of a network; LayerBuilder has the
// parts that the functions of the kinds share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/graph/graph.h"
#include "trainer/launch/layers.h"
#include "trainer/models/model.h"

namespace carrack::train {

// What a graph is for. A graph for inference leaves out what a model needs only while it is trained, such as dropout.
enum class ModelUse { training, inference };

// The initial values of biases.
inline constexpr InitialValues zeros{InitialValues::Kind::constant, 0};
// Rows of embedding tables are drawn uniformly from -embedding_limit to embedding_limit, as in Keras.
inline constexpr float embedding_limit = 0.05f;

// A layer that is being appended to a graph: the argument of the functions that build each kind of layer. The
// referenced objects must outlive it.
struct LayerBuilder {
  const Layer& layer;
  // The name of the layer; its tensors are named `name/kernel` and so on.
  std::string name;
  std::vector<ValueId> inputs;  // the outputs of other layers, or features, that the layer reads; at least one
  Graph& graph;
  std::vector<Parameter>& parameters;  // all parameters of the model; new ones are appended
  ModelUse use = ModelUse::training;

  // Returns the first input. The reference is valid until something is declared or appended in the graph.
  const Value& input() const { return graph.value(inputs.front()); }
  // Declares a tensor of the model, which is named `name/suffix`, in the graph, and appends it to `parameters`. Returns
  // its value in the graph. `own_rate` is set for a tensor that is not trained by its gradient (NamedShape::own_rate in
  // layout.h). Throws Error with Blame::user if the tensor has more than 2^54 elements.
  ValueId parameter(std::string_view suffix, const Shape& shape, InitialValues initial,
                    std::optional<double> own_rate = std::nullopt);
  // Returns the initial values for weights of this shape, as the layer's field `field`, such as "kernelInitializer",
  // selects them (GlorotUniform, Orthogonal, ...). The last two dimensions are inputs and units; the product of the
  // dimensions before them multiplies both, as in Keras. Throws Error with Blame::user if the shape has more than
  // orthogonal_elements_max elements and the initializer is Orthogonal, or more than 2^54 elements.
  InitialValues initializer_of(std::string_view field, const Shape& shape) const;
  // Appends the activation function that the layer's field `activation` names, applied to `x`, and returns its output.
  // Returns `x` itself for Linear.
  ValueId activate(ValueId x);
  // Appends a reshape of `x`, and returns its output: the same elements in another shape.
  ValueId reshape(ValueId x, const Dimensions& shape);
  // Throw Error with Blame::user; the message is the path of the layer in the manifest, and then `what`. The first one
  // says that the input has no time steps.
  [[noreturn]] void refuse_without_steps() const;
  [[noreturn]] void refuse(const std::string& what) const;
};

// Returns the number of values of each record, for a value with the shape [rows, ...]: 12 for [rows, 3, 4].
std::int64_t values_per_record(const Dimensions& shape);

// Appends the layer builder.layer to builder.graph and returns its output. For a layer that changes nothing, such as
// Dropout in inference, that is its input. Throws Error with Blame::user if the inputs do not fit, or if the output has
// more than elements_max values for each record.
ValueId append_layer(LayerBuilder builder);

}  // namespace carrack::train
