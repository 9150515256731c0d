// Each kernel written once more, as plainly as can be: what the cpu and the cuda version are both held against.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "trainer/kernels/update.h"
#include "trainer/launch/config.h"

namespace carrack::train::naive {

static_assert(
    std::variant_size_v<Optimizer> == 4,
    "the update of a new optimizer is to be written here, and tested in update_test.cc and optimizer_test.cc");

// A float that was rounded when it was made: what volatile stands for here.
using Rounded = const volatile float;

inline float gradient_of(GradientStep by, float sum) {
  Rounded gradient = sum * by.factor;
  Rounded clipped = gradient > by.limit ? by.limit : gradient < -by.limit ? -by.limit : gradient;
  Rounded scaled = clipped * by.scale;
  return scaled;
}

inline void sgd(SgdStep by, std::vector<float>& parameters, const std::vector<float>& gradient_sum) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Rounded gradient = gradient_of(by.gradient, gradient_sum[i]);
    Rounded step = by.rate * gradient;
    parameters[i] = parameters[i] - step;
  }
}

inline void momentum(MomentumStep by, std::vector<float>& parameters, const std::vector<float>& gradient_sum,
                     std::vector<float>& velocity) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Rounded gradient = gradient_of(by.gradient, gradient_sum[i]);
    Rounded step = by.rate * gradient;
    Rounded kept = velocity[i] * by.momentum;
    velocity[i] = kept - step;
    parameters[i] = parameters[i] + velocity[i];
  }
}

inline void adam(AdamStep by, std::vector<float>& parameters, const std::vector<float>& gradient_sum,
                 std::vector<float>& m, std::vector<float>& v) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Rounded gradient = gradient_of(by.gradient, gradient_sum[i]);
    Rounded square = gradient * gradient;
    Rounded m_difference = gradient - m[i];
    Rounded v_difference = square - v[i];
    Rounded m_change = m_difference * by.one_minus_beta1;
    Rounded v_change = v_difference * by.one_minus_beta2;
    m[i] = m[i] + m_change;
    v[i] = v[i] + v_change;
    Rounded root = std::sqrt(v[i]);
    Rounded below = root + by.epsilon;
    Rounded above = m[i] * by.rate;
    Rounded step = above / below;
    parameters[i] = parameters[i] - step;
  }
}

inline void adamw(AdamWStep by, std::vector<float>& parameters, const std::vector<float>& gradient_sum,
                  std::vector<float>& m, std::vector<float>& v) {
  for (float& parameter : parameters) {
    Rounded share = parameter * by.weight_decay;
    Rounded decay = share * by.learning_rate;
    parameter = parameter - decay;
  }
  adam(by.adam, parameters, gradient_sum, m, v);
}

inline void adagrad(AdagradStep by, std::vector<float>& parameters, const std::vector<float>& gradient_sum,
                    std::vector<float>& accumulator) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Rounded gradient = gradient_of(by.gradient, gradient_sum[i]);
    Rounded square = gradient * gradient;
    accumulator[i] = accumulator[i] + square;
    Rounded under = accumulator[i] + by.epsilon;
    Rounded below = std::sqrt(under);
    Rounded above = by.rate * gradient;
    Rounded step = above / below;
    parameters[i] = parameters[i] - step;
  }
}

inline double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

// h R of one gate and unit; R is [units, gates * units], and `column` one of its columns.
inline double state_sum(const std::vector<double>& h, const std::vector<float>& r, std::size_t column) {
  const std::size_t width = r.size() / h.size();
  double sum = 0;
  for (std::size_t i = 0; i < h.size(); ++i) sum += h[i] * r[i * width + column];
  return sum;
}

// The states of an LSTM [steps, units] for one row in double precision, from its b + x W [steps, 4 units] and R.
inline std::vector<double> lstm(std::size_t units, const std::vector<double>& input_sums, const std::vector<float>& r) {
  std::vector<double> y, h(units), c(units);
  for (std::size_t at = 0; at < input_sums.size(); at += 4 * units) {
    std::vector<double> next(units);
    for (std::size_t j = 0; j < units; ++j) {
      const auto sum = [&](std::size_t gate) {
        return input_sums[at + gate * units + j] + state_sum(h, r, gate * units + j);
      };
      c[j] = sigmoid(sum(1)) * c[j] + sigmoid(sum(0)) * std::tanh(sum(2));
      next[j] = sigmoid(sum(3)) * std::tanh(c[j]);
    }
    h = next;
    y.insert(y.end(), h.begin(), h.end());
  }
  return y;
}

// The same of a GRU. `state_biases` is added to h R at each step, [steps, 3 units].
inline std::vector<double> gru(std::size_t units, const std::vector<double>& input_sums,
                               const std::vector<double>& state_biases, const std::vector<float>& r) {
  std::vector<double> y, h(units);
  for (std::size_t at = 0; at < input_sums.size(); at += 3 * units) {
    std::vector<double> next(units);
    for (std::size_t j = 0; j < units; ++j) {
      const auto state = [&](std::size_t gate) {
        return state_biases[at + gate * units + j] + state_sum(h, r, gate * units + j);
      };
      const double z = sigmoid(input_sums[at + j] + state(0)), reset = sigmoid(input_sums[at + units + j] + state(1));
      next[j] = z * h[j] + (1 - z) * std::tanh(input_sums[at + 2 * units + j] + reset * state(2));
    }
    h = next;
    y.insert(y.end(), h.begin(), h.end());
  }
  return y;
}

// Numbers of many magnitudes and both signs, the same for the same seed.
inline std::vector<float> numbers(std::size_t size, std::uint32_t seed) {
  std::vector<float> values(size);
  std::uint32_t state = seed;
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;
    const float unit = static_cast<float>(state >> 8) / 16777216.0f - 0.5f;
    value = unit * static_cast<float>(1u << (state & 15u));
  }
  return values;
}

// What Adam's v and Adagrad's accumulator may hold.
inline std::vector<float> positive_numbers(std::size_t size, std::uint32_t seed) {
  std::vector<float> values = numbers(size, seed);
  for (float& value : values) value = std::fabs(value);
  return values;
}

}  // namespace carrack::train::naive
