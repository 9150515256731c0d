// check_cuda(), which wraps calls of the CUDA runtime: it throws the trainer's Error if the call has failed.
//     check_cuda(cudaSetDevice(number), "cudaSetDevice");
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "trainer/error.h"
#include "trainer/kernels/device.h"

namespace carrack::train::cuda {

// Returns what an administrator of the machine can do about a failure, for the end of an error message. Never null.
inline const char* advice(cudaError_t status) {
  switch (status) {
    case cudaErrorECCUncorrectable:
      return "the memory of the GPU is damaged; take its machine out of use, and reset or replace the GPU";
    case cudaErrorNoKernelImageForDevice:
      return "the GPU is too old; Carrack has kernels for compute capability 7.5 and newer";
    case cudaErrorDevicesUnavailable:
      return "another process uses the GPU alone; nvidia-smi lists the processes";
    case cudaErrorSystemNotReady:
      return "start NVIDIA's fabric manager on its machine";
    case cudaErrorSystemDriverMismatch:
      return "the driver was updated while it ran; restart its machine";
    default:
      return "look on its machine for lines with 'NVRM: Xid' in the output of dmesg";
  }
}

// Throws Error with Blame::platform unless `status` is cudaSuccess; the error is a NoRoom (device.h) if the device has
// not enough memory. `what` names the call in the message.
inline void check_cuda(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  if (status == cudaErrorMemoryAllocation) throw NoRoom(std::string(what) + ": the GPU has no room");
  throw Error(Blame::platform, std::string(what) + ": " + cudaGetErrorString(status) + "; " + advice(status));
}

}  // namespace carrack::train::cuda
