#include "trainer/optimizer/optimizer.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "trainer/error.h"
#include "trainer/kernels/update.h"
#include "trainer/launch/overloaded.h"

namespace carrack::train {
namespace {

constexpr std::array<std::string_view, 2> adam_state{"Adam/m", "Adam/v"};

// Uses products only, as the library's pow() may round differently on another machine.
double power(double factor, std::int64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent /= 2, factor *= factor) {
    if (exponent % 2 == 1) result *= factor;
  }
  return result;
}

void apply_one(const Sgd& sgd, const Update& update) {
  cpu::sgd({static_cast<float>(sgd.learning_rate), static_cast<float>(update.divisor)}, update.parameters,
           update.gradient_sum, update.updated);
}

void apply_one(const Adam& adam, const Update& update) {
  const double correction = std::sqrt(1 - power(adam.beta2, update.step)) / (1 - power(adam.beta1, update.step));
  const AdamStep step{.rate = static_cast<float>(adam.learning_rate * correction),
                      .one_minus_beta1 = static_cast<float>(1 - adam.beta1),
                      .one_minus_beta2 = static_cast<float>(1 - adam.beta2),
                      .epsilon = static_cast<float>(adam.epsilon),
                      .divisor = static_cast<float>(update.divisor)};
  cpu::adam(step, update.parameters, update.gradient_sum, update.state[0], update.state[1], update.updated);
}

}  // namespace

std::span<const std::string_view> state_names(const Optimizer& optimizer) {
  using Names = std::span<const std::string_view>;
  return std::visit(overloaded{[](const Sgd&) { return Names(); }, [](const Adam&) { return Names(adam_state); }},
                    optimizer);
}

std::string state_tensor(std::string_view tensor, std::string_view state_name) {
  return std::string(tensor) + "/" + std::string(state_name);
}

void apply(const Optimizer& optimizer, const Update& update) {
  const std::size_t size = update.parameters.size();
  const bool sizes_agree =
      update.gradient_sum.size() == size && update.updated.size() == size &&
      update.state.size() == state_names(optimizer).size() &&
      std::ranges::all_of(update.state, [&](std::span<const float> state) { return state.size() == size; });
  if (!sizes_agree) throw Error(Blame::bug, "apply: parameters, gradients and state have different sizes");
  if (update.step < 1 || update.divisor < 1) throw Error(Blame::bug, "apply: step or divisor is below one");
  std::visit([&](const auto& rule) { apply_one(rule, update); }, optimizer);
}

void apply(const Training& training, std::uint64_t records, Update update) {
  const bool divides = training.reduction == Reduction::mean && records > 0;
  update.divisor = divides ? static_cast<double>(records) : 1;
  train::apply(training.optimizer, update);
}

}  // namespace carrack::train
