// The first step of a job, value by value, for `carrack step`: the outputs of the layers, the gradients, the update,
// and how much outputs, gradients and loss differ from an evaluation by plain loops in double precision.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainer/debug/numbers.h"
#include "trainer/kernels/shape.h"
#include "trainer/launch/launch.h"
#include "trainer/loop/setup/role_context.h"

namespace carrack::train {

struct ValueReport {
  std::string name;
  Shape shape;
  Numbers numbers;
  double difference = 0;  // of a layer's output: difference_of() it and the output in double precision; otherwise 0
};

// A tensor of the model's parameters.
struct TensorReport {
  ValueReport value;         // before the update
  double gradient_norm = 0;  // of the gradient's mean over the records, or of its sum if spec.training.reduction is Sum
  double update_norm = 0;    // of the change by the update
  double gradient_difference = 0;  // difference_of() the gradient and the gradient in double precision
};

struct LayerReport {
  ValueReport output;
  std::vector<TensorReport> tensors;  // the layer's own
};

struct StepReport {
  std::uint64_t records_in_epoch = 0;
  std::int64_t seed = 0;
  std::vector<std::string> records;   // the name of each: "record 2 of data.tfrecord"
  std::vector<ValueReport> features;  // that the model reads
  std::vector<LayerReport> layers;
  double loss = 0;             // the mean over the records
  double loss_difference = 0;  // difference_of() the loss and the loss in double precision
};

// Computes the step from the job's initial values and its first `records` records, on the CPU and without other
// processes. Writes no checkpoint. Throws Error with Blame::user for what would also fail in the job. Not for an own
// model.
StepReport first_step(const Launch& launch, const RoleContext& context, std::int64_t records);

// Returns a line for the first feature that has NaN or infinity, and one for the first layer whose output has; if none
// has, one for the loss, a gradient or an update. Empty if everything is finite.
std::vector<std::string> not_finite(const StepReport& report);

}  // namespace carrack::train
