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
    std::variant_size_v<Optimizer> == 5,
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
    Rounded ahead = velocity[i] * by.momentum;
    Rounded with_nesterov = ahead - step;
    parameters[i] = parameters[i] + (by.nesterov ? with_nesterov : velocity[i]);
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

inline void rms_prop(RmsPropStep by, std::vector<float>& parameters, const std::vector<float>& gradient_sum,
                     std::vector<float>& v) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Rounded gradient = gradient_of(by.gradient, gradient_sum[i]);
    Rounded square = gradient * gradient;
    Rounded added = by.one_minus_rho * square;
    Rounded stays = by.rho * v[i];
    v[i] = stays + added;
    Rounded under = v[i] + by.epsilon;
    Rounded below = std::sqrt(under);
    Rounded above = by.rate * gradient;
    Rounded step = above / below;
    parameters[i] = parameters[i] - step;
  }
}

inline void average(AverageStep by, std::vector<float>& parameters, const std::vector<float>& sum) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Rounded mean = sum[i] * by.factor;
    Rounded way = mean - parameters[i];
    Rounded step = way * by.rate;
    parameters[i] = parameters[i] + step;
  }
}

// The sum of the sums of all lanes along the fixed tree: halves of halves. Their number is a power of two.
inline std::vector<float> tree_total(std::span<const std::vector<float>> lanes) {
  if (lanes.size() == 1) return lanes.front();
  const std::size_t half = lanes.size() / 2;
  std::vector<float> left = tree_total(lanes.first(half));
  const std::vector<float> right = tree_total(lanes.subspan(half));
  for (std::size_t i = 0; i < left.size(); ++i) left[i] += right[i];
  return left;
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
