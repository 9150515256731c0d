// The result of a model for one record as a line of JSON, as `carrack predict` prints it. docs/reference/predict.md
// lists its fields. Pure.
//
//   {"file": "a.tfrecord", "record": 7, "class": 2, "probabilities": [0.1, 0.2, 0.7], "loss": 0.35667497}
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
