#include "trainer/kernels/update.h"

#include <cstddef>

namespace carrack::train::cpu {

void sgd(std::span<float> parameters, std::span<const float> gradients, float rate) {
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] -= rate * gradients[i];
}

}  // namespace carrack::train::cpu
