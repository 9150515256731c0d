// Checks a model before anything runs: its sizes, or all problems of the manifest that concern it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "trainer/launch/config.h"

namespace carrack::train {

// 64 GiB of parameters, more than a dense model has; far from overflowing any computation here.
inline constexpr std::int64_t elements_max = std::int64_t{1} << 34;

struct ModelSizes {
  std::int64_t parameters;  // Elements of the flat buffer, four bytes each.
  std::int64_t blocks;      // The maximum number of parameter servers.
  // Memory to compute one batch, without parameters, gradients and the batch itself; 0 of an own model.
  std::int64_t workspace_bytes;
  bool operator==(const ModelSizes&) const = default;
};

struct ModelProblem {
  std::string field;  // "spec.model.records"
  std::string text;   // "is 0; ..."
  bool operator==(const ModelProblem&) const = default;
};

// All problems of the model in its job: of the features that it reads, of the way it is trained, and of the number of
// parameter servers.
std::vector<ModelProblem> problems_in(const Config& config);

// Only the problems of spec.model and of the features that it reads.
std::vector<ModelProblem> problems_in(const Model& model, const Data& data);

// `rows_max` is the maximum number of records in a batch or lane.
std::variant<ModelSizes, std::vector<ModelProblem>> check(const Model& model, const Data& data, std::int64_t rows_max);

}  // namespace carrack::train
