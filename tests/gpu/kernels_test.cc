// Runs the cases on a real GPU, on machines without googletest.
#include <cstdio>
#include <exception>

#include "tests/gpu/cases.h"
#include "trainer/kernels/device.h"

namespace carrack::gpu_test {
namespace {

bool passes(const Case& one) {
  try {
    one.run();
    std::printf("passed  %s\n", one.name);
    return true;
  } catch (const std::exception& error) {
    std::printf("FAILED  %s\n        %s\n", one.name, error.what());
    return false;
  }
}

// Exit code: 0 all passed, 1 one failed, 77 no GPU to run on (which ctest counts as skipped).
int run() {
  if (train::cuda::device_count() == 0) {
    std::puts(train::cuda::toolkit_version().empty() ? "SKIPPED: built without CUDA" : "SKIPPED: no CUDA device");
    return 77;
  }
  int failed = 0;
  for (const Case& one : all_cases()) failed += passes(one) ? 0 : 1;
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace carrack::gpu_test

int main() {
  return carrack::gpu_test::run();
}
