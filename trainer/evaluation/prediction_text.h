// The result of a model for one record as a line of JSON; docs/reference/predict.md lists its fields. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "trainer/evaluation/task.h"

namespace carrack::train {

struct Prediction {
  std::string file;
  std::uint64_t record = 0;        // the number of the record in the file, from 0
  std::span<const float> outputs;  // task.outputs() values
  std::optional<float> loss = {};  // nullopt with Losses::left_out
  // One value for each output; empty with Losses::left_out, and for other tasks than Kind::values.
  std::span<const float> target = {};
};

// Returns the line, without a line break.
std::string text(const ModelTask& task, const Prediction& prediction);

}  // namespace carrack::train
