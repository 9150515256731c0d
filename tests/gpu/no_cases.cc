#include "tests/gpu/cases.h"

namespace carrack::gpu_test {

std::vector<Case> all_cases() {
  return {};
}

}  // namespace carrack::gpu_test
