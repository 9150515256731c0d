// Builds a model of the manifest: its parameters and their initial values, the features that it reads from each record,
// and its loss as a graph.
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

struct Parameter {
  std::string name;
  Shape shape;
  InitialValues initial = {};
  std::optional<double> own_rate = std::nullopt;  // as of its NamedShape; 0 if it is computed of the data

  bool is_trained() const { return !own_rate; }
};

// A feature whose mean and deviation are the tensors `layer/mean` and `layer/deviation`, with a value for each column.
struct Standardized {
  std::string layer;
  std::string feature;
  std::int64_t columns;  // the values of the feature's last dimension
};

// What a layer gives, for each record, and how many of the model's parameters are its own. They are behind those of the
// layers before it.
struct LayerOutput {
  std::string name;
  ValueId value;
  std::size_t parameters;
};

struct ModelGraph {
  std::vector<Parameter> parameters;
  std::vector<Feature> features;  // In the order of graph.inputs(), if it has a loss.
  Graph graph;
  // A scalar, summed over the records of a batch. Nullopt for an own model, whose graph is empty.
  std::optional<ValueId> loss;
  std::vector<LayerOutput> layers;              // In order; a model that is no network has one, an own model none.
  std::vector<Standardized> standardized = {};  // By the layers that do it, in order.
};

// Builds one of four kinds of model:
//   LinearRegression: parameters `w` [size of the input] and `b` [1]; loss = (input w + b - target)^2.
//   Tally: parameter `tally` [records]; loss = -tally[record], so its gradient is -1 at each record that is used.
//   Layers: a network of the layers that the manifest lists; see layers.h.
//   OwnModel: the tensors that the manifest lists, and all features.
// Throws an Error for the user with the first problem that problems_in() finds, or if sizes of layers do not fit.
ModelGraph model_graph(const Model& model, const Data& data);

// A model that computes outputs and is not trained: it has no gradients, and nothing is dropped at random.
struct InferenceGraph {
  std::vector<Feature> features;  // that it reads, in the order of graph.inputs()
  Graph graph;
  ValueId output;  // of the last layer
  // The loss of each record, as [rows] or [rows, 1]; nullopt without losses.
  std::optional<ValueId> record_losses;
  // What the loss compares the output with. Without losses nullopt, unless the layers before the output have it, too.
  std::optional<ValueId> target = {};
};

enum class Losses { computed, left_out };

// The same parameters as in model_graph(). Without losses it has only the features and layers that the output needs.
// Throws as model_graph(), and an Error for the user for an own model.
InferenceGraph inference_graph(const Model& model, const Data& data, Losses losses);

Layout layout_of(const ModelGraph& model);

// Of the parameters that are computed of the data, by name.
using ValuesOfData = std::map<std::string, std::vector<float>>;

// Writes the initial values of `range`, counted in elements of the flat buffer that layout_of() describes, to `values`.
// They do not depend on how the buffer is divided, so every parameter server computes its own range. Throws an Error
// (bug) if `values` and `range` have different sizes, or if a parameter lacks its values of the data.
void initialize(const ModelGraph& model, std::uint64_t seed, Range range, std::span<float> values,
                const ValuesOfData& of_data = {});

}  // namespace carrack::train
