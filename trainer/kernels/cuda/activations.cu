#include "trainer/kernels/activations.h"

#include "trainer/kernels/cuda/elements.cuh"
#include "trainer/kernels/elementwise.h"

namespace carrack::train::cuda {

void relu(Stream& stream, std::span<const float> x, std::span<float> y) {
  for_each_element("cuda::relu", stream, x, y, Relu{});
}

void sigmoid(Stream& stream, std::span<const float> x, std::span<float> y) {
  for_each_element("cuda::sigmoid", stream, x, y, Sigmoid{});
}

void tanh(Stream& stream, std::span<const float> x, std::span<float> y) {
  for_each_element("cuda::tanh", stream, x, y, Tanh{});
}

void gelu(Stream& stream, std::span<const float> x, std::span<float> y) {
  for_each_element("cuda::gelu", stream, x, y, Gelu{});
}

void swish(Stream& stream, std::span<const float> x, std::span<float> y) {
  for_each_element("cuda::swish", stream, x, y, Swish{});
}

void relu_gradient(Stream& stream, std::span<const float> of_y, std::span<const float> y, std::span<float> of_x) {
  for_each_element("cuda::relu_gradient", stream, of_y, y, of_x, ReluGradient{});
}

void sigmoid_gradient(Stream& stream, std::span<const float> of_y, std::span<const float> y, std::span<float> of_x) {
  for_each_element("cuda::sigmoid_gradient", stream, of_y, y, of_x, SigmoidGradient{});
}

void tanh_gradient(Stream& stream, std::span<const float> of_y, std::span<const float> y, std::span<float> of_x) {
  for_each_element("cuda::tanh_gradient", stream, of_y, y, of_x, TanhGradient{});
}

void gelu_gradient(Stream& stream, std::span<const float> of_y, std::span<const float> x, std::span<float> of_x) {
  for_each_element("cuda::gelu_gradient", stream, of_y, x, of_x, GeluGradient{});
}

void swish_gradient(Stream& stream, std::span<const float> of_y, std::span<const float> x, std::span<float> of_x) {
  for_each_element("cuda::swish_gradient", stream, of_y, x, of_x, SwishGradient{});
}

}  // namespace carrack::train::cuda
