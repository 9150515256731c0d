// Each kernel written once more, as plainly as can be: what the cpu and the cuda version are both held against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace carrack::train::naive {

inline void sgd(std::vector<float>& parameters, const std::vector<float>& gradients, float rate) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const volatile float step = rate * gradients[i];  // volatile: the product is rounded before it is subtracted.
    parameters[i] = parameters[i] - step;
  }
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

}  // namespace carrack::train::naive
