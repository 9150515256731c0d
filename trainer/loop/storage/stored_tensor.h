// Compares a tensor of a checkpoint with the one that a model needs.
#pragma once

#include <optional>
#include <string>

#include "trainer/checkpoint/tensor.h"
#include "trainer/kernels/shape.h"

namespace carrack::train {

// Returns nullopt if the bundle holds `name` as float32 with this shape; else "no tensor w", or "tensor w as int32
// [3]".
std::optional<std::string> held_instead(const checkpoint::Bundle& bundle, const std::string& name, const Shape& shape);

// "float32 [3]".
std::string tensor_text(checkpoint::DType dtype, const Shape& shape);

}  // namespace carrack::train
