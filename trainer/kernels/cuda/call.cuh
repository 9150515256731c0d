// Turns CUDA's status codes into the trainer's Error. Failures of the driver and the device have Blame::platform.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "trainer/error.h"

namespace carrack::train::cuda {

// `what` is the call that failed, for the message.
inline void call(cudaError_t status, const char* what) {
  if (status != cudaSuccess) {
    throw Error(Blame::platform, std::string(what) + ": " + cudaGetErrorString(status));
  }
}

}  // namespace carrack::train::cuda
