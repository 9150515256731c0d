// Distinguishes tensors of optimizer state in a checkpoint from parameters, by their names.
#pragma once

#include <optional>
#include <string_view>

#include "trainer/launch/config.h"

namespace carrack::train {

// Returns the optimizer to whose state the tensor `tensor` of a checkpoint belongs: Adam for "w/Adam/m". nullopt for a
// parameter.
std::optional<OptimizerKind> optimizer_of_state(std::string_view tensor);

}  // namespace carrack::train
