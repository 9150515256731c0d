// Builds the model that a manifest describes: its parameters and their initial values, the features that it reads from
// each record, and a graph of operators that computes its loss (for training) or its output (for inference).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trainer/graph/graph.h"
#include "trainer/kernels/layout.h"
#include "trainer/launch/config.h"
#include "trainer/models/initial_values.h"

namespace carrack::train {

// A tensor of the model.
struct Parameter {
  std::string name;  // such as "dense/kernel"
  Shape shape;
  InitialValues initial = {};
  // Set for a tensor that is not trained by its gradient (NamedShape::own_rate in layout.h). 0: it never changes, as
  // the mean and deviation of the data.
  std::optional<double> own_rate = std::nullopt;

  bool is_trained() const { return !own_rate; }
};

// A feature from which a layer of kind Standardize subtracts the mean of the training data, and which it divides by the
// standard deviation. These are the tensors `layer/mean` and `layer/deviation`, with a value for each column.
struct Standardized {
  std::string layer;
  std::string feature;
  std::int64_t columns;  // the length of the feature's last dimension
};

// The output of a layer, and how many of ModelGraph::parameters belong to it. Parameters are in the order of their
// layers.
struct LayerOutput {
  std::string name;
  ValueId value;
  std::size_t parameters;  // number of its tensors, not of their elements
};

// A model for training.
struct ModelGraph {
  std::vector<Parameter> parameters;  // in the order of their layers
  std::vector<Feature> features;      // in the order of graph.inputs(); for kind Own, all features of the data
  Graph graph;
  // A scalar: the sum of the losses of the records of a batch. nullopt for a model of kind Own, whose graph is empty.
  std::optional<ValueId> loss;
  std::vector<LayerOutput> layers;  // in order; one entry for a model that is not of layers, none for kind Own
  std::vector<Standardized> standardized = {};  // in the order of the layers
};

// Builds one of four kinds of model:
//   LinearRegression: parameters `w` [size of the input] and `b` [1]; loss = (input w + b - target)^2.
//   Tally: parameter `tally` [records]; loss = -tally[record], so its gradient is -1 at each record that is used.
//   Layers: a network of the layers that the manifest lists; see layers.h.
//   OwnModel: the tensors that the manifest lists, and all features; it has no loss.
// Throws Error with Blame::user for the first problem that problems_in() finds (check.h), or if sizes of layers do not
// fit.
ModelGraph model_graph(const Model& model, const Data& data);

// A graph that computes the outputs of a trained model: it has no gradients, and drops no values at random.
struct InferenceGraph {
  std::vector<Feature> features;  // those that the model reads, in the order of graph.inputs()
  Graph graph;
  ValueId output;  // the output of the last layer
  // The loss of each record, as [rows] or [rows, 1]; nullopt with Losses::left_out.
  std::optional<ValueId> record_losses;
  // The value with which the loss compares the output; nullopt for Tally. With Losses::left_out it is also nullopt,
  // unless a layer that the output needs reads this value.
  std::optional<ValueId> target = {};
};

// Whether an InferenceGraph computes record_losses.
enum class Losses { computed, left_out };

// Builds the graph, with the same parameters as model_graph(). With Losses::left_out it has only the features and
// layers that the output needs. Throws Error with Blame::user for the first problem in the model, if sizes of layers do
// not fit, or for a model of kind Own.
InferenceGraph inference_graph(const Model& model, const Data& data, Losses losses);

// Returns where each parameter is in a flat buffer of all parameters, or of their gradients: one after the other, in
// the order of model.parameters.
Layout layout_of(const ModelGraph& model);

// The parameters that are computed from the training data, by name, with all their elements: "standardize/mean" and so
// on (values_of_data.h).
using ValuesOfData = std::map<std::string, std::vector<float>>;

// Writes the initial values of the parameters in `range`, counted in elements of the flat buffer of layout_of(), to
// `values`. They do not depend on how the buffer is divided, so each parameter server computes its own range. `of_data`
// must have the parameters in `range` that are computed from the data. Throws Error with Blame::bug if it does not, or
// if `values` and `range` differ in size.
void initialize(const ModelGraph& model, std::uint64_t seed, Range range, std::span<float> values,
                const ValuesOfData& of_data = {});

}  // namespace carrack::train
