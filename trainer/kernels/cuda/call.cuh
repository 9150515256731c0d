// Turns CUDA's status codes into the trainer's Error. Faults of driver and device are the platform's.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "trainer/error.h"

namespace carrack::train::cuda {

inline void call(cudaError_t status, const char* what) {
  if (status != cudaSuccess) {
    throw Error(Blame::platform, std::string(what) + ": " + cudaGetErrorString(status));
  }
}

}  // namespace carrack::train::cuda
