// The result of a model for one record as a line of JSON. docs/reference/predict.md lists the fields. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "trainer/evaluation/task.h"

namespace carrack::train {

struct Prediction {
  std::string file;
  std::uint64_t record = 0;            // the number of the record in the file, from 0
  std::span<const float> outputs;      // as many as task.outputs()
  std::optional<float> loss = {};      // nullopt if losses are not computed
  std::span<const float> target = {};  // one for each output; empty without losses, and unless the task is Kind::values
};

// The line has no line break.
std::string text(const ModelTask& task, const Prediction& prediction);

}  // namespace carrack::train
