// What can be known of a model before anything runs: its sizes, or all that is wrong with what the manifest says of it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "trainer/launch/config.h"

namespace carrack::train {

struct ModelSizes {
  std::int64_t parameters;       // Elements of the flat buffer, four bytes each.
  std::int64_t blocks;           // At most as many parameter servers.
  std::int64_t workspace_bytes;  // What computing one batch takes, besides parameters, gradients and the batch.
  bool operator==(const ModelSizes&) const = default;
};

struct ModelProblem {
  std::string field;  // "spec.model.records"
  std::string text;   // "is 0; ..."
  bool operator==(const ModelProblem&) const = default;
};

// All that is wrong with the model in its job: with the features it reads, with how it is trained, with how many
// parameter servers share it.
std::vector<ModelProblem> problems_in(const Config& config);

// Of these only what the model itself is made of.
std::vector<ModelProblem> problems_in(const Model& model, const Data& data);

// For batches, or lanes, of up to `rows_max` records.
std::variant<ModelSizes, std::vector<ModelProblem>> check(const Model& model, const Data& data, std::int64_t rows_max);

}  // namespace carrack::train
