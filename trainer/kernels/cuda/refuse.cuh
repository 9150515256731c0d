// How a kernel writes down an element that it refuses.
#pragma once

#include <cstdint>

#include "trainer/kernels/cuda/launch.cuh"
#include "trainer/kernels/refused.h"

namespace carrack::train::cuda {

// Only the first thread that finds something writes it.
inline __device__ void refuse(Refused* refused, float number) {
  if (atomicExch(&refused->found, std::uint32_t{1}) == 0) refused->number = number;
}
inline __device__ void refuse(Refused* refused, std::int64_t integer) {
  if (atomicExch(&refused->found, std::uint32_t{1}) == 0) refused->integer = integer;
}

// Whether there is an element `index` of `count`.
inline __device__ bool is_inside(std::int64_t index, std::int64_t count) {
  return index >= 0 && index < count;
}

}  // namespace carrack::train::cuda
