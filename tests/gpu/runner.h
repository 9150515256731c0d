// A test runner of one page, for machines without googletest: cases are functions, a failed check throws.
#pragma once

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "trainer/kernels/device.h"

namespace carrack::gpu_test {

struct Case {
  const char* name;
  void (*run)();
};

inline void check(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

// Exit code: 0 all passed, 1 one failed, 77 no GPU to run on (which ctest counts as skipped).
inline int run(const std::vector<Case>& cases) {
  if (train::cuda::device_count() == 0) {
    std::puts(train::cuda::toolkit_version().empty() ? "SKIPPED: built without CUDA" : "SKIPPED: no CUDA device");
    return 77;
  }
  int failed = 0;
  for (const Case& one : cases) {
    try {
      one.run();
      std::printf("passed  %s\n", one.name);
    } catch (const std::exception& error) {
      ++failed;
      std::printf("FAILED  %s\n        %s\n", one.name, error.what());
    }
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace carrack::gpu_test
