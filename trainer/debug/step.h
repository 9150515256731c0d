// The first step of a job, value by value: what each layer gives, the gradients, the update, and how far all of that is
// from an evaluation by plain loops in double precision.
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
  double difference = 0;  // of an output from that in double precision, as difference_of() has it
};

struct TensorReport {
  ValueReport value;         // before the update
  double gradient_norm = 0;  // of the gradient of the loss, divided by the records if spec.training.reduction is Mean
  double update_norm = 0;
  double gradient_difference = 0;
};

struct LayerReport {
  ValueReport output;
  std::vector<TensorReport> tensors;
};

struct StepReport {
  std::uint64_t records_in_epoch = 0;
  std::int64_t seed = 0;
  std::vector<std::string> records;  // what each is called: "record 2 of data.tfrecord"
  std::vector<ValueReport> features;
  std::vector<LayerReport> layers;
  double loss = 0;  // the mean over the records
  double loss_difference = 0;
};

// Of the job's initial values and its first `records` records. Throws Error, with Blame::user, for what would fail in
// the job too.
StepReport first_step(const Launch& launch, const RoleContext& context, std::int64_t records);

// A line for each place where NaN or infinity appears first: a feature, then a layer, or else the loss or a gradient.
std::vector<std::string> not_finite(const StepReport& report);

}  // namespace carrack::train
