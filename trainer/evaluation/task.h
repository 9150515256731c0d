// What the outputs of a model mean, by its loss. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainer/kernels/shape.h"
#include "trainer/launch/config.h"

namespace carrack::train {

struct ModelTask {
  enum class Kind {
    values,   // numbers that should be those of the target
    classes,  // scores of classes; the target is the number of the right one
    labels,   // scores of what is independently true or not; the target has 1 where it is true
    counts,   // of Tally: there is no target
  };

  Kind kind = Kind::values;
  Shape output;  // of one record
  // Of classes whose target is text with words: the word of each class, empty for a class without one.
  std::vector<std::string> words = {};

  std::int64_t outputs() const { return element_count(output); }
  // Values at each time step, or of each record without steps.
  std::int64_t width() const { return output.empty() ? 1 : output.back(); }
};

ModelTask task_of(const Model& model, const Data& data, Shape output);

}  // namespace carrack::train
