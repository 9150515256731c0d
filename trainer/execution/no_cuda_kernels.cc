// Replaces cuda_kernels.cc in a build without CUDA.
#include "trainer/execution/kernel.h"

namespace carrack::train {

std::span<const Kernel> cuda_kernels() {
  return {};
}

}  // namespace carrack::train
