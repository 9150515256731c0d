#include "trainer/launch/state_names.h"

#include <string>

namespace carrack::train {

std::optional<OptimizerKind> optimizer_of_state(std::string_view tensor) {
  for (const auto& optimizer : spellings<OptimizerKind>) {
    const std::string part = "/" + std::string(optimizer.text) + "/";
    if (tensor.find(part) != std::string_view::npos) return optimizer.value;
  }
  return std::nullopt;
}

}  // namespace carrack::train
