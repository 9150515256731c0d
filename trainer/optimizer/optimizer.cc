#include "trainer/optimizer/optimizer.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "trainer/error.h"
#include "trainer/launch/overloaded.h"
#include "trainer/optimizer/schedule.h"

namespace carrack::train {
namespace {

constexpr std::array<std::string_view, 1> momentum_state{"SGD/momentum"};
constexpr std::array<std::string_view, 2> adam_state{"Adam/m", "Adam/v"};
constexpr std::array<std::string_view, 2> adamw_state{"AdamW/m", "AdamW/v"};
constexpr std::array<std::string_view, 1> adagrad_state{"Adagrad/accumulator"};
constexpr std::array<std::string_view, 1> rms_prop_state{"RMSProp/v"};

// If apply() must copy the state before the update, it copies and then updates this many elements at a time. So the
// copy is still in the CPU's cache when the update reads it.
constexpr std::int64_t part_size = 16384;

// Returns factor^exponent. Uses only products, because the library's pow() may round differently on another machine.
double power(double factor, std::int64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent /= 2, factor *= factor) {
    if (exponent % 2 == 1) result *= factor;
  }
  return result;
}

// Returns the arguments that the kernels of Adam and AdamW share: both compute the same moments m and v.
AdamStep adam_step(const auto& adam, const Update& update) {
  const double correction = std::sqrt(1 - power(adam.beta2, update.step)) / (1 - power(adam.beta1, update.step));
  return {.rate = static_cast<float>(adam.learning_rate * correction),
          .one_minus_beta1 = static_cast<float>(1 - adam.beta1),
          .one_minus_beta2 = static_cast<float>(1 - adam.beta2),
          .epsilon = static_cast<float>(adam.epsilon),
          .gradient = update.gradient};
}

void apply_one(const Sgd& sgd, const Update& update) {
  const auto rate = static_cast<float>(sgd.learning_rate);
  if (sgd.momentum == 0)
    return cpu::sgd({rate, update.gradient}, update.parameters, update.gradient_sum, update.updated);
  cpu::momentum({rate, static_cast<float>(sgd.momentum), sgd.nesterov, update.gradient}, update.parameters,
                update.gradient_sum, update.state[0].updated, update.updated);
}

void apply_one(const Adam& adam, const Update& update) {
  cpu::adam(adam_step(adam, update), update.parameters, update.gradient_sum, update.state[0].updated,
            update.state[1].updated, update.updated);
}

void apply_one(const AdamW& adamw, const Update& update) {
  const AdamWStep step{.adam = adam_step(adamw, update),
                       .learning_rate = static_cast<float>(adamw.learning_rate),
                       .weight_decay = static_cast<float>(adamw.weight_decay)};
  cpu::adamw(step, update.parameters, update.gradient_sum, update.state[0].updated, update.state[1].updated,
             update.updated);
}

void apply_one(const Adagrad& adagrad, const Update& update) {
  const AdagradStep step{.rate = static_cast<float>(adagrad.learning_rate),
                         .epsilon = static_cast<float>(adagrad.epsilon),
                         .gradient = update.gradient};
  cpu::adagrad(step, update.parameters, update.gradient_sum, update.state[0].updated, update.updated);
}

void apply_one(const RmsProp& rms_prop, const Update& update) {
  const RmsPropStep step{.rate = static_cast<float>(rms_prop.learning_rate),
                         .rho = static_cast<float>(rms_prop.rho),
                         .one_minus_rho = static_cast<float>(1 - rms_prop.rho),
                         .epsilon = static_cast<float>(rms_prop.epsilon),
                         .gradient = update.gradient};
  cpu::rms_prop(step, update.parameters, update.gradient_sum, update.state[0].updated, update.updated);
}

void require_equal_sizes(const Optimizer& optimizer, const Update& update) {
  const std::size_t size = update.parameters.size();
  const bool sizes_agree = update.gradient_sum.size() == size && update.updated.size() == size &&
                           update.state.size() == state_names(optimizer).size() &&
                           std::ranges::all_of(update.state, [&](const OptimizerState& state) {
                             return state.before.size() == size && state.updated.size() == size;
                           });
  if (!sizes_agree) throw Error(Blame::bug, "apply: parameters, gradients and state have different sizes");
}

Update part_of(const Update& update, Range range) {
  const auto part = [begin = static_cast<std::size_t>(range.begin), size = static_cast<std::size_t>(range.size())](
                        auto values) { return values.subspan(begin, size); };
  Update own = update;
  own.parameters = part(update.parameters);
  own.gradient_sum = part(update.gradient_sum);
  own.updated = part(update.updated);
  for (OptimizerState& state : own.state) state = OptimizerState(part(state.before), part(state.updated));
  return own;
}

bool is_in_place(const OptimizerState& state) {
  return state.before.data() == state.updated.data();
}

// Copies the old state to the buffer for the new state, because the kernels of the optimizers change a state in place.
void copy_state(const Update& update) {
  for (const OptimizerState& state : update.state) {
    if (!is_in_place(state)) std::ranges::copy(state.before, state.updated.begin());
  }
}

// Returns the optimizer with the settings of this part of the parameters. `factor` is that of the schedule; the
// learning rate is multiplied by it.
Optimizer optimizer_of(const UpdatePart& part, Optimizer optimizer, double factor) {
  std::visit([&](auto& rule) { rule.learning_rate *= factor * part.rate_scale; }, optimizer);
  if (auto* adamw = std::get_if<AdamW>(&optimizer)) {
    adamw->weight_decay = part.weight_decay.value_or(adamw->weight_decay);
  }
  return optimizer;
}

}  // namespace

std::span<const std::string_view> state_names(const Optimizer& optimizer) {
  using Names = std::span<const std::string_view>;
  return std::visit(
      overloaded{[](const Sgd& sgd) { return sgd.momentum == 0 ? Names() : Names(momentum_state); },
                 [](const Adam&) { return Names(adam_state); }, [](const AdamW&) { return Names(adamw_state); },
                 [](const Adagrad&) { return Names(adagrad_state); },
                 [](const RmsProp&) { return Names(rms_prop_state); }},
      optimizer);
}

float initial_state(const Optimizer& optimizer) {
  const auto* adagrad = std::get_if<Adagrad>(&optimizer);
  return adagrad == nullptr ? 0 : static_cast<float>(adagrad->initial_accumulator);
}

std::string state_tensor(std::string_view tensor, std::string_view state_name) {
  return std::string(tensor) + "/" + std::string(state_name);
}

void apply(const Optimizer& optimizer, const Update& update) {
  require_equal_sizes(optimizer, update);
  if (update.step < 1) throw Error(Blame::bug, "apply: the step is below one");
  const auto size = std::ssize(update.parameters);
  cpu::parallel_for(update.threads, size, size, [&](Range range) {
    const std::int64_t at_once = std::ranges::all_of(update.state, is_in_place) ? range.size() : part_size;
    for (std::int64_t begin = range.begin; begin < range.end; begin += at_once) {
      const Update part = part_of(update, {begin, std::min(begin + at_once, range.end)});
      copy_state(part);
      std::visit([&](const auto& rule) { apply_one(rule, part); }, optimizer);
    }
  });
}

double divisor_of(const Training& training, std::uint64_t records) {
  const bool divides = training.reduction == Reduction::mean && records > 0;
  return divides ? static_cast<double>(records) : 1;
}

GradientStep gradient_step(const Training& training, std::uint64_t records) {
  GradientStep step{.factor = static_cast<float>(1 / divisor_of(training, records))};
  if (training.clip && training.clip->value) step.limit = static_cast<float>(*training.clip->value);
  return step;
}

void apply(const Training& training, std::span<const UpdatePart> parts, std::uint64_t records, Update update) {
  require_equal_sizes(training.optimizer, update);
  const float scale = update.gradient.scale;
  update.gradient = gradient_step(training, records);
  update.gradient.scale = scale;
  const double factor = rate_factor(training.schedule, update.step);
  const UpdatePart all{.range = {0, static_cast<std::int64_t>(update.parameters.size())}};
  for (const UpdatePart& part : parts.empty() ? std::span(&all, 1) : parts) {
    const Update own = part_of(update, part.range);
    if (part.rate_scale == 0 || (part.own_rate && records == 0)) {
      // The part is frozen, or no record has reported values for it, so nothing changes.
      copy_state(own);
      std::ranges::copy(own.parameters, own.updated.begin());
    } else if (part.own_rate) {
      copy_state(own);
      const AverageStep step{.rate = static_cast<float>(*part.own_rate),
                             .factor = static_cast<float>(1 / static_cast<double>(records))};
      cpu::average(step, own.parameters, own.gradient_sum, own.updated);
    } else {
      train::apply(optimizer_of(part, training.optimizer, factor), own);
    }
  }
}

}  // namespace carrack::train
