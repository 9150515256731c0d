#include "trainer/kernels/update.h"

#include <array>
#include <cmath>
#include <cstddef>

namespace carrack::train::cpu {
namespace {

// Returns the sum times the factor, limited and scaled (GradientStep). A comparison with NaN is false, so NaN stays NaN
// and shows that the training has failed.
float gradient_of(const GradientStep& step, float sum) {
  const float gradient = sum * step.factor;
  const float above = gradient < -step.limit ? -step.limit : gradient;
  return (above > step.limit ? step.limit : above) * step.scale;
}

// Updates the moments m and v of one element, and returns the number to subtract from its parameter.
float adam_change(const AdamStep& step, float sum, float& m, float& v) {
  const float gradient = gradient_of(step.gradient, sum);
  m += (gradient - m) * step.one_minus_beta1;
  v += (gradient * gradient - v) * step.one_minus_beta2;
  return (m * step.rate) / (std::sqrt(v) + step.epsilon);
}

// Sets each element of `updated` to rule(parameter, gradient sum, state...). Uses plain pointers, because a loop that
// checks the bounds of spans is not vectorised.
template <class Rule, class... State>
void update(std::span<const float> parameters, std::span<const float> gradient_sum, std::span<float> updated,
            const Rule& rule, State... state) {
  const auto loop = [&rule, size = parameters.size()](const float* from, const float* sum, float* to, auto*... states) {
    for (std::size_t i = 0; i < size; ++i) to[i] = rule(from[i], sum[i], states[i]...);
  };
  loop(parameters.data(), gradient_sum.data(), updated.data(), state.data()...);
}

}  // namespace

void sgd(SgdStep step, std::span<const float> parameters, std::span<const float> gradient_sum,
         std::span<float> updated) {
  update(parameters, gradient_sum, updated,
         [step](float parameter, float sum) { return parameter - step.rate * gradient_of(step.gradient, sum); });
}

void momentum(MomentumStep step, std::span<const float> parameters, std::span<const float> gradient_sum,
              std::span<float> velocity, std::span<float> updated) {
  const auto rule = [step](float parameter, float sum, float& own_velocity) {
    const float change = step.rate * gradient_of(step.gradient, sum);
    own_velocity = own_velocity * step.momentum - change;
    return parameter + (step.nesterov ? own_velocity * step.momentum - change : own_velocity);
  };
  update(parameters, gradient_sum, updated, rule, velocity);
}

void adam(AdamStep step, std::span<const float> parameters, std::span<const float> gradient_sum, std::span<float> m,
          std::span<float> v, std::span<float> updated) {
  const auto rule = [step](float parameter, float sum, float& own_m, float& own_v) {
    return parameter - adam_change(step, sum, own_m, own_v);
  };
  update(parameters, gradient_sum, updated, rule, m, v);
}

void adamw(AdamWStep step, std::span<const float> parameters, std::span<const float> gradient_sum, std::span<float> m,
           std::span<float> v, std::span<float> updated) {
  const auto rule = [step](float parameter, float sum, float& own_m, float& own_v) {
    const float decayed = parameter - (parameter * step.weight_decay) * step.learning_rate;
    return decayed - adam_change(step.adam, sum, own_m, own_v);
  };
  update(parameters, gradient_sum, updated, rule, m, v);
}

void adagrad(AdagradStep step, std::span<const float> parameters, std::span<const float> gradient_sum,
             std::span<float> accumulator, std::span<float> updated) {
  const auto rule = [step](float parameter, float sum, float& own_accumulator) {
    const float gradient = gradient_of(step.gradient, sum);
    own_accumulator += gradient * gradient;
    return parameter - (step.rate * gradient) / std::sqrt(own_accumulator + step.epsilon);
  };
  update(parameters, gradient_sum, updated, rule, accumulator);
}

void rms_prop(RmsPropStep step, std::span<const float> parameters, std::span<const float> gradient_sum,
              std::span<float> v, std::span<float> updated) {
  const auto rule = [step](float parameter, float sum, float& own_v) {
    const float gradient = gradient_of(step.gradient, sum);
    own_v = step.rho * own_v + step.one_minus_rho * (gradient * gradient);
    return parameter - (step.rate * gradient) / std::sqrt(own_v + step.epsilon);
  };
  update(parameters, gradient_sum, updated, rule, v);
}

void average(AverageStep step, std::span<const float> parameters, std::span<const float> gradient_sum,
             std::span<float> updated) {
  const auto rule = [step](float parameter, float sum) {
    const float mean = sum * step.factor;
    // The difference is rounded, so a parameter far from the mean would miss it, and an infinite one would become NaN.
    return step.rate == 1 ? mean : parameter + (mean - parameter) * step.rate;
  };
  update(parameters, gradient_sum, updated, rule);
}

// Partial sum i of 8 adds elements i, i + 8 and so on, so that the partial sums fill vectors. Then the partial sums are
// added in order.
double sum_of_squares(GradientStep step, std::span<const float> gradient_sum) {
  constexpr std::size_t width = 8;
  std::array<double, width> sums{};
  const float* const values = gradient_sum.data();
  const std::size_t size = gradient_sum.size(), whole = size - size % width;
  const auto add = [&](std::size_t i, std::size_t partial) {
    const double gradient = gradient_of(step, values[i]);
    sums.data()[partial] += gradient * gradient;
  };
  for (std::size_t i = 0; i < whole; i += width) {
    for (std::size_t j = 0; j < width; ++j) add(i + j, j);
  }
  for (std::size_t i = whole; i < size; ++i) add(i, i - whole);
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

}  // namespace carrack::train::cpu
