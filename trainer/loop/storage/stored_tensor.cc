#include "trainer/loop/storage/stored_tensor.h"

namespace carrack::train {

std::string tensor_text(checkpoint::DType dtype, const Shape& shape) {
  return checkpoint::name_of(dtype) + " " + checkpoint::text_of(shape);
}

std::optional<std::string> tensor_mismatch(const checkpoint::Bundle& bundle, const std::string& name,
                                           const Shape& shape) {
  const auto found = bundle.tensors.find(name);
  if (found == bundle.tensors.end()) return "no tensor " + name;
  const checkpoint::Tensor& tensor = found->second;
  if (tensor.dtype == checkpoint::DType::float32 && tensor.shape == shape) return std::nullopt;
  return "tensor " + name + " as " + tensor_text(tensor.dtype, tensor.shape);
}

}  // namespace carrack::train
