// By which names checkpoints tell the state of an optimizer from parameters.
#pragma once

#include <optional>
#include <string_view>

#include "trainer/launch/config.h"

namespace carrack::train {

// Of which optimizer the tensor of this name in a checkpoint is state: Adam for "w/Adam/m". nullopt for parameters.
std::optional<OptimizerKind> optimizer_of_state(std::string_view tensor);

}  // namespace carrack::train
