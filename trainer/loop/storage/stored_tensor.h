// Compares a tensor of a checkpoint with the tensor that a model needs.
#pragma once

#include <optional>
#include <string>

#include "trainer/checkpoint/tensor.h"
#include "trainer/kernels/shape.h"

namespace carrack::train {

// Returns nullopt if the bundle has `name` as float32 with this shape; otherwise "no tensor w", or "tensor w as int32
// [3]".
std::optional<std::string> held_instead(const checkpoint::Bundle& bundle, const std::string& name, const Shape& shape);

// Returns a text such as "float32 [3]".
std::string tensor_text(checkpoint::DType dtype, const Shape& shape);

}  // namespace carrack::train
