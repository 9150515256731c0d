// Optimizers over any range of the flat parameter buffer. They work elementwise, so the same sums of gradients give the
// same bits however the buffer is cut into ranges, and on any machine. The state of an optimizer is a number of buffers
// of the same size as the parameters; checkpoints store them under the names given here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/kernels/thread_pool.h"
#include "trainer/kernels/update.h"
#include "trainer/launch/config.h"
#include "trainer/optimizer/update_parts.h"

namespace carrack::train {

// The names of the state buffers: "Adam/m" and "Adam/v" for Adam, "SGD/momentum" for Sgd, but none without momentum.
std::span<const std::string_view> state_names(const Optimizer& optimizer);

// What every element of all state buffers is before the first update.
float initial_state(const Optimizer& optimizer);

// The name of a state buffer in a checkpoint: "w/Adam/m".
std::string state_tensor(std::string_view tensor, std::string_view state_name);

// One state buffer of the optimizer before an update, and where it is to be after it.
struct OptimizerState {
  OptimizerState(std::span<float> in_place) : before(in_place), updated(in_place) {}
  // The two do not overlap.
  OptimizerState(std::span<const float> from, std::span<float> to) : before(from), updated(to) {}

  std::span<const float> before;
  std::span<float> updated;
};

struct Update {
  std::span<const float> parameters;
  std::span<const float> gradient_sum;
  GradientStep gradient = {};              // How the gradient is made of the sum.
  std::int64_t step = 1;                   // The number of this update, from 1.
  std::vector<OptimizerState> state = {};  // In the order of state_names().
  // The result: `parameters` itself, `gradient_sum` itself, or a buffer that overlaps neither.
  std::span<float> updated;
  cpu::ThreadPool* threads = nullptr;  // Among which the elements are divided; null: the calling thread.
};

// Throws a bug if sizes differ, or the step is below one. Call it as train::apply, as std::apply accepts
// anything.
void apply(const Optimizer& optimizer, const Update& update);

// By what a sum of the gradients of `records` records is divided.
double divisor_of(const Training& training, std::uint64_t records);

// How a training makes the gradient of a step of the sum of the gradients of `records` records: divided by the
// reduction, and clipped by value.
GradientStep gradient_step(const Training& training, std::uint64_t records);

// The update of a job's step, from the sum of the gradients of `records` records. Sets update.gradient to their
// gradient_step(), but for its scale, and applies the optimizer to each part, at the learning rate that the schedule
// gives to the step. Without parts all elements have the settings of the optimizer; else the parts make up all of the
// update. Of a part with a rate of its own, `gradient_sum` is the sum of what the records say: its elements move
// towards the mean by that rate alone, and not at all without records; its state stays as it is.
void apply(const Training& training, std::span<const UpdatePart> parts, std::uint64_t records, Update update);

}  // namespace carrack::train
