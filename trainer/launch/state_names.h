// Distinguishes tensors of optimizer state in a checkpoint from parameters of the model, by their names. A checkpoint
// stores both: the parameter `w`, and as state of Adam `w/Adam/m` and `w/Adam/v`.
#pragma once

#include <optional>
#include <string_view>

#include "trainer/launch/config.h"

namespace carrack::train {

// `tensor` is the name of a tensor in a checkpoint, or one that a user proposes for a parameter. Returns the optimizer
// whose state it is: Adam for "w/Adam/m". Returns nullopt for a parameter. Looks only for "/Adam/" and so on in the
// name, which no parameter may contain.
std::optional<OptimizerKind> optimizer_of_state(std::string_view tensor);

}  // namespace carrack::train
