// CUDA's status codes as the trainer's Error: the driver and the device are the platform's to mend.
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
