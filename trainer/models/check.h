// Checks the model of a manifest (spec.model and how the job trains it) before anything runs, and computes its sizes.
// The operator, `carrack validate` and the trainer use it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "trainer/launch/config.h"

namespace carrack::train {

// The maximum number of parameters of a model, as float32 64 GiB. The functions below report a model with more.
inline constexpr std::int64_t elements_max = std::int64_t{1} << 34;

struct ModelSizes {
  std::int64_t parameters;  // elements of the flat buffer (layout.h), four bytes each
  std::int64_t blocks;      // number of blocks of parameters, which is the maximum number of parameter servers
  // Bytes of intermediate results to compute one batch, without parameters, their gradients and the batch itself; 0 for
  // a model of kind Own.
  std::int64_t workspace_bytes;
  bool operator==(const ModelSizes&) const = default;
};

struct ModelProblem {
  std::string field;  // the path of a field of the manifest, such as "spec.model.records"
  std::string text;   // what follows the path in a message, such as "is 0; must be from 1 to 5"
  bool operator==(const ModelProblem&) const = default;
};

// Returns the problems of the model in its job: those of spec.model and of the features that it reads, and those of the
// number of parameter servers, training.groups, initialWeights, lanes and other settings that depend on the model. Most
// of the latter are found only if spec.model has no problem. Empty if there are none. Builds the graph, but allocates
// no tensors.
std::vector<ModelProblem> problems_in(const Config& config);

// Returns only the problems of spec.model and of the features that it reads, for callers without a whole job, such as
// those that read a checkpoint. Empty if there are none.
std::vector<ModelProblem> problems_in(const Model& model, const Data& data);

// For tests. Returns the model's sizes, or its problems if it has any. `rows_max` is the maximum number of records that
// are computed at the same time; only workspace_bytes depends on it.
std::variant<ModelSizes, std::vector<ModelProblem>> check(const Model& model, const Data& data, std::int64_t rows_max);

}  // namespace carrack::train
