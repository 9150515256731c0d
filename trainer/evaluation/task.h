// ModelTask: what the outputs of a model mean, such as a score for each class. It follows from the model's loss, and
// decides which metrics there are (metrics.h), and how predictions are printed and exported. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainer/kernels/shape.h"
#include "trainer/launch/config.h"

namespace carrack::train {

struct ModelTask {
  enum class Kind {
    values,   // numbers; the target has the right numbers
    classes,  // a score for each class; the target is the number of the right class
    labels,   // scores of labels, each of which is true or false; the target has 1 for true and 0 for false
    counts,   // the output of Tally; there is no target
  };

  Kind kind = Kind::values;
  Shape output;  // the shape for one record, without the dimension of records
  // The word of each class, if the target is a text feature with words; empty for other targets and kinds. The word of
  // a class without a word is "".
  std::vector<std::string> words = {};

  // The number of outputs of one record.
  std::int64_t outputs() const { return element_count(output); }
  // The size of the last dimension: the outputs of one time step, or of a record if it has no steps.
  std::int64_t width() const { return output.empty() ? 1 : output.back(); }
};

// Returns the task of the model. `output` is the shape of its output for one record. Throws Error with Blame::bug for a
// model of kind Own.
ModelTask task_of(const Model& model, const Data& data, Shape output);

}  // namespace carrack::train
