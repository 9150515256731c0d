// Reports an element that a kernel refuses.
#pragma once

#include <cstdint>

#include "trainer/kernels/cuda/launch.cuh"
#include "trainer/kernels/refused.h"

namespace carrack::train::cuda {

// Only the first thread that finds such an element writes it.
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
