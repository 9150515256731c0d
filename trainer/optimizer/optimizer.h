// Applies updates to parameters: SGD, Adam, AdamW, Adagrad and RMSProp, as a parameter server does with the gradients
// of each step, and `carrack step` with those of the first one. All functions work on any range of the flat buffer of
// parameters, element by element. So the same sums of gradients give the same bits on any machine, however the buffer
// is divided among servers. The state of an optimizer, such as Adam's m and v, is up to two buffers of the size of the
// parameters.
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

// Returns the name under which a checkpoint stores a state buffer of a tensor: state_tensor("w", "Adam/m") ->
// "w/Adam/m".
std::string state_tensor(std::string_view tensor, std::string_view state_name);

// A view of a state buffer of the optimizer: its content before an update, and where the new content is written, which
// may be the same buffer.
struct OptimizerState {
  OptimizerState(std::span<float> in_place) : before(in_place), updated(in_place) {}
  // `from` and `to` must be the same buffer, or not overlap.
  OptimizerState(std::span<const float> from, std::span<float> to) : before(from), updated(to) {}

  std::span<const float> before;
  std::span<float> updated;
};

// One update of a range of the parameters. All spans have the same size, and must stay valid during the call.
struct Update {
  std::span<const float> parameters;
  std::span<const float> gradient_sum;
  GradientStep gradient = {};              // how the gradient is made from the sum: factor, limit, scale
  std::int64_t step = 1;                   // the number of this update, from 1
  std::vector<OptimizerState> state = {};  // in the order of state_names()
  // Where the new parameters are written. May be `parameters` or `gradient_sum` itself, or a buffer that overlaps
  // neither.
  std::span<float> updated;
  cpu::ThreadPool* threads = nullptr;  // the elements are divided among these; null: the calling thread computes alone
};

// Computes an update of all elements by the rule and the settings of `optimizer`; the learning rate is used as it is,
// without a schedule. update.gradient is used as it is. Throws Error with Blame::bug if sizes differ, if the number of
// state buffers is wrong, or if the step is below 1. Call it as train::apply, because std::apply accepts any arguments.
void apply(const Optimizer& optimizer, const Update& update);

// Returns the number by which a sum of the gradients of `records` records is divided: with Reduction::mean `records`,
// otherwise 1. Returns 1 for 0 records.
double divisor_of(const Training& training, std::uint64_t records);

// Returns how the gradient of a step is made from the sum of the gradients of `records` records: it is divided by
// divisor_of(), then clipped by value. `scale`, for clipping by norm, is 1 in the result.
GradientStep gradient_step(const Training& training, std::uint64_t records);

// Computes the update of a step of the job with all settings of `training`: optimizer, schedule, reduction and
// clipping. This is the function that parameter servers call. update.gradient_sum is the sum of the gradients of
// `records` records. Of update.gradient only `scale` is used; gradient_step() replaces the rest. `parts`
// (update_parts()) together make up the whole range, and each has its own settings; if there are none, all elements
// have the settings of the optimizer.
//
// In a part with a rate of its own (UpdatePart::own_rate), gradient_sum is instead the sum of values that the records
// report. The elements move by this rate towards the mean of the values, or stay without records. The state stays.
//
// update.step must be at least 1. Throws Error with Blame::bug if sizes differ or the number of state buffers is wrong.
void apply(const Training& training, std::span<const UpdatePart> parts, std::uint64_t records, Update update);

}  // namespace carrack::train
