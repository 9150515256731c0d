// For kernels that find an input they cannot compute with, such as an index outside of its table: refuse() reports it
// to the CPU in a Refused (refused.h). It does not end the kernel, which must not use a refused index.
#pragma once

#include <cstdint>

#include "trainer/kernels/cuda/launch.cuh"
#include "trainer/kernels/refused.h"

namespace carrack::train::cuda {

// Write the element. Of several threads that call these for the same Refused, only the first one writes.
inline __device__ void refuse(Refused* refused, float number) {
  if (atomicExch(&refused->found, std::uint32_t{1}) == 0) refused->number = number;
}
inline __device__ void refuse(Refused* refused, std::int64_t integer) {
  if (atomicExch(&refused->found, std::uint32_t{1}) == 0) refused->integer = integer;
}

// Returns whether `index` is from 0 to count - 1.
inline __device__ bool is_inside(std::int64_t index, std::int64_t count) {
  return index >= 0 && index < count;
}

}  // namespace carrack::train::cuda
