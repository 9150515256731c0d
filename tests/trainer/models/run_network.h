// Runs a network of layers once.
#pragma once

#include <span>
#include <vector>

#include "tests/trainer/models/networks.h"
#include "trainer/execution/executor.h"
#include "trainer/models/layers.h"

namespace carrack::train {

// The loss, then the gradients, of a model with the given parameters and values of its features in order.
inline std::vector<float> run(const Layers& network, std::span<const float> parameters,
                              const std::vector<FeatureValues>& inputs, std::int64_t rows) {
  const ModelGraph model = build(network, data);
  Executor executor(gradients(model.graph, *model.loss), layout_of(model), rows);
  std::vector<float> result(parameters.size() + 1);
  result[0] = executor.run(parameters, inputs, rows, std::span(result).subspan(1));
  return result;
}

}  // namespace carrack::train
