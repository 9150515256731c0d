// Reports an element that a kernel refuses in Refused (refused.h).
#pragma once

#include <cstdint>

#include "trainer/kernels/cuda/launch.cuh"
#include "trainer/kernels/refused.h"

namespace carrack::train::cuda {

// Of several threads that find such an element, only the first one writes it.
inline __device__ void refuse(Refused* refused, float number) {
  if (atomicExch(&refused->found, std::uint32_t{1}) == 0) refused->number = number;
}
inline __device__ void refuse(Refused* refused, std::int64_t integer) {
  if (atomicExch(&refused->found, std::uint32_t{1}) == 0) refused->integer = integer;
}

// Whether `index` is from 0 to count - 1.
inline __device__ bool is_inside(std::int64_t index, std::int64_t count) {
  return index >= 0 && index < count;
}

}  // namespace carrack::train::cuda
