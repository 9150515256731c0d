// Optimizers over any range of the flat parameter buffer. They work element by element, so the same sums of gradients
// give the same bits on any machine, however the buffer is cut into ranges. The state of an optimizer is up to two
// buffers of the size of the parameters; checkpoints store them under the names that state_tensor() returns.
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

// Returns the names of the state buffers: "Adam/m" and "Adam/v" for Adam; "SGD/momentum" for Sgd with momentum, and
// none for Sgd without. The names live as long as the process.
std::span<const std::string_view> state_names(const Optimizer& optimizer);

// Returns the value of every element of all state buffers before the first update.
float initial_state(const Optimizer& optimizer);

// Returns the name of a state buffer of a tensor in a checkpoint, such as "w/Adam/m".
std::string state_tensor(std::string_view tensor, std::string_view state_name);

// A view of a state buffer of the optimizer: its content before an update, and where the new content is written.
struct OptimizerState {
  OptimizerState(std::span<float> in_place) : before(in_place), updated(in_place) {}
  // `from` and `to` must not overlap.
  OptimizerState(std::span<const float> from, std::span<float> to) : before(from), updated(to) {}

  std::span<const float> before;
  std::span<float> updated;
};

// One update of a range of the parameters. All spans have the same size, and must stay valid during the call.
struct Update {
  std::span<const float> parameters;
  std::span<const float> gradient_sum;
  GradientStep gradient = {};              // how the gradient is made from the sum
  std::int64_t step = 1;                   // the number of this update, from 1
  std::vector<OptimizerState> state = {};  // in the order of state_names()
  // Where the new parameters are written. May be `parameters` or `gradient_sum` itself, or a buffer that overlaps
  // neither.
  std::span<float> updated;
  cpu::ThreadPool* threads = nullptr;  // the elements are divided among these; null: the calling thread computes alone
};

// Computes the update with the settings of `optimizer`, without a schedule. Throws Error with Blame::bug if sizes
// differ, if the number of state buffers is wrong, or if the step is below 1. Call it as train::apply, because
// std::apply accepts any arguments.
void apply(const Optimizer& optimizer, const Update& update);

// Returns the number by which a sum of the gradients of `records` records is divided: with Reduction::mean `records`,
// otherwise 1. Returns 1 for 0 records.
double divisor_of(const Training& training, std::uint64_t records);

// Returns how the gradient of a step is made from the sum of the gradients of `records` records: it is divided by
// divisor_of(), then clipped by value. `scale`, for clipping by norm, is 1 in the result.
GradientStep gradient_step(const Training& training, std::uint64_t records);

// Applies a step of the job, from the sum of the gradients of `records` records, at the learning rate of the schedule.
// Of update.gradient only `scale` is used; the rest is gradient_step(). `parts` together make up the whole update, and
// each has its own settings; if there are none, all elements have the settings of the optimizer. In a part with a rate
// of its own, `gradient_sum` is the sum of what the records report: the elements move by this rate towards its mean, or
// not at all without records, and the state stays as it is. update.step must be at least 1. Throws Error with
// Blame::bug if sizes differ or the number of state buffers is wrong.
void apply(const Training& training, std::span<const UpdatePart> parts, std::uint64_t records, Update update);

}  // namespace carrack::train
