#include "tests/gpu/cases.h"

namespace carrack::gpu_test {

std::vector<Case> all_cases() {
  std::vector<Case> all = elementwise_cases();
  const std::vector<Case> updates = update_cases();
  all.insert(all.end(), updates.begin(), updates.end());
  return all;
}

}  // namespace carrack::gpu_test
