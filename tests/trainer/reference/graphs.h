// Graphs that have all operators, and values for them.
#pragma once

#include <cstdint>
#include <vector>

#include "trainer/execution/executor.h"
#include "trainer/kernels/layout.h"
#include "trainer/models/model.h"
#include "trainer/reference/evaluate.h"

namespace carrack::train::reference {

inline constexpr std::int64_t rows = 3;
inline constexpr Draws draws{.seed = 5, .step = 2, .first_row = 1};

// Between them, nearly all layers and losses.
std::vector<Model> models();

// Of the models. The last one is of operators that no layer needs, on their own.
std::vector<Gradients> graphs();

// Floats are drawn; integers are 0, 1, 0, ...
Arguments arguments_of(const Graph& graph);

// The same as an executor takes them.
class CallArguments {
 public:
  CallArguments(const Graph& graph, const Arguments& of);

  Layout layout() const { return Layout(tensors_); }

  std::vector<float> parameters;
  std::vector<FeatureValues> inputs;

 private:
  std::vector<NamedShape> tensors_;
  std::vector<std::vector<float>> floats_;
  std::vector<std::vector<std::int64_t>> integers_;
};

}  // namespace carrack::train::reference
