// What a model computes for one record, as a line of JSON. docs/reference/predict.md lists the fields. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "trainer/evaluation/task.h"

namespace carrack::train {

struct Prediction {
  std::string file;
  std::uint64_t record = 0;  // its number in the file
  std::span<const float> outputs;
  std::optional<float> loss = {};
  std::span<const float> target = {};  // of a task of values; empty without losses
};

// Without a line break.
std::string text(const ModelTask& task, const Prediction& prediction);

}  // namespace carrack::train
