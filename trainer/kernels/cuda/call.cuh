// Turns CUDA's status codes into the trainer's Error.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "trainer/error.h"

namespace carrack::train::cuda {

// Throws Error with Blame::platform unless `status` is success. `what` names the call in the message.
inline void call(cudaError_t status, const char* what) {
  if (status != cudaSuccess) {
    throw Error(Blame::platform, std::string(what) + ": " + cudaGetErrorString(status));
  }
}

}  // namespace carrack::train::cuda
