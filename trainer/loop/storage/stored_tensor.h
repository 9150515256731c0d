// Compares a tensor of a checkpoint with the tensor that a model needs, for error messages.
#pragma once

#include <optional>
#include <string>

#include "trainer/checkpoint/tensor.h"
#include "trainer/kernels/shape.h"

namespace carrack::train {

// Compares the tensor `name` of a checkpoint with what a model needs: float32 with this shape. Returns nullopt if they
// agree. Otherwise returns what the checkpoint has instead: "no tensor w" or "tensor w as int32 [3]".
std::optional<std::string> tensor_mismatch(const checkpoint::Bundle& bundle, const std::string& name,
                                           const Shape& shape);

// Describes a tensor in messages: tensor_text(checkpoint::DType::float32, {3}) -> "float32 [3]".
std::string tensor_text(checkpoint::DType dtype, const Shape& shape);

}  // namespace carrack::train
