// The arguments of a call of a kernel, as the functions of kernels/ take them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trainer/execution/kernel.h"

namespace carrack::train {

inline const float* floats(const KernelInput& input) {
  return static_cast<const float*>(input.data);
}

inline float* floats(const KernelOutput& output) {
  return static_cast<float*>(output.data);
}

inline std::span<const float> elements(const KernelInput& input) {
  return {floats(input), static_cast<std::size_t>(element_count(input.extents))};
}

inline std::span<float> elements(const KernelOutput& output) {
  return {floats(output), static_cast<std::size_t>(element_count(output.extents))};
}

inline std::span<const std::int64_t> indices(const KernelInput& input) {
  return {static_cast<const std::int64_t*>(input.data), static_cast<std::size_t>(element_count(input.extents))};
}

}  // namespace carrack::train
