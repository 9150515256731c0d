// first_step(): computes a training step on the first records of a job for `carrack step`, which helps users to find
// errors in a model. It summarizes the output of each layer, and the gradient and update of each parameter tensor. It
// computes outputs, gradients and loss a second time, by plain loops in double precision, and reports how much they
// differ. Differences are results of difference_of() (numbers.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainer/debug/numbers.h"
#include "trainer/kernels/shape.h"
#include "trainer/launch/launch.h"
#include "trainer/loop/setup/role_context.h"

namespace carrack::train {

// A feature, the output of a layer, or a parameter tensor.
struct ValueReport {
  std::string name;
  Shape shape;  // of features and outputs with the records as first dimension
  Numbers numbers;
  double difference = 0;  // only of a layer's output; otherwise 0
};

// A tensor of the model's parameters.
struct TensorReport {
  ValueReport value;  // the tensor before the update
  // The L2 norm of the gradient: its mean over the records, or its sum if spec.training.reduction is Sum.
  double gradient_norm = 0;
  double update_norm = 0;  // the L2 norm of the change by the update
  double gradient_difference = 0;
};

struct LayerReport {
  ValueReport output;
  std::vector<TensorReport> tensors;  // the tensors of this layer, in the order of the model
};

struct StepReport {
  std::uint64_t records_in_epoch = 0;
  std::int64_t seed = 0;
  std::vector<std::string> records;   // the name of each record of the step: "record 2 of data.tfrecord"
  std::vector<ValueReport> features;  // the features that the model reads
  std::vector<LayerReport> layers;
  double loss = 0;  // the mean loss of the records
  double loss_difference = 0;
};

// Computes the step from the job's initial values and its first `records` records (first_records.h), on the CPU and
// without other processes. Builds missing indexes and snapshots, but writes no checkpoint. Throws Error with
// Blame::user for what would also fail in the job, and as first_records() does. The model must not be of kind Own.
StepReport first_step(const Launch& launch, const RoleContext& context, std::int64_t records);

// Returns lines for the user that say where NaN or infinity appears first: one for the first feature that has any, and
// one for the first layer whose output has any. If no layer has any, the second line is for the loss, or the first
// gradient or update that is not finite. Empty if everything is finite.
std::vector<std::string> not_finite(const StepReport& report);

}  // namespace carrack::train
