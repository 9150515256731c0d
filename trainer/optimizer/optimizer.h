// Optimizers over any range of the flat parameter buffer: elementwise, so that however the buffer is cut over parameter
// servers, and wherever the work is done, the same sums of gradients give the same bits. What an optimizer remembers is
// its state: as many more buffers like the parameters', which go into checkpoints by the names given here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/launch/config.h"

namespace carrack::train {

// The last parts of the names of an optimizer's state: none for Sgd, "Adam/m" and "Adam/v". It begins as zeros.
std::span<const std::string_view> state_names(const Optimizer& optimizer);

// "w/Adam/m"
std::string state_tensor(std::string_view tensor, std::string_view state_name);

struct Update {
  std::span<const float> parameters;
  std::span<const float> gradient_sum;
  double divisor = 1;                        // The records in the sum, or 1 where the job wants the sum itself.
  std::int64_t step = 1;                     // How many updates this state has seen, with this one.
  std::vector<std::span<float>> state = {};  // In the order of state_names(); changed in place.
  std::span<float> updated;                  // `parameters` itself, or apart from it: then that stays as it was.
};

// Throws a bug where sizes differ, or step or divisor is below one. Called as train::apply: std::apply takes anything.
void apply(const Optimizer& optimizer, const Update& update);

}  // namespace carrack::train
