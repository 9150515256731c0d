#include "trainer/kernels/activations.h"

#include <cstddef>

#include "trainer/kernels/cpu/elements.h"
#include "trainer/kernels/elementwise.h"

namespace carrack::train::cpu {
void relu(std::span<const float> x, std::span<float> y) {
  for_each_element(x, y, Relu{});
}

void sigmoid(std::span<const float> x, std::span<float> y) {
  for_each_element(x, y, Sigmoid{});
}

void tanh(std::span<const float> x, std::span<float> y) {
  for_each_element(x, y, Tanh{});
}

void gelu(std::span<const float> x, std::span<float> y) {
  for_each_element(x, y, Gelu{});
}

void swish(std::span<const float> x, std::span<float> y) {
  for_each_element(x, y, Swish{});
}

void relu_gradient(std::span<const float> of_y, std::span<const float> y, std::span<float> of_x) {
  for_each_element(of_y, y, of_x, ReluGradient{});
}

void sigmoid_gradient(std::span<const float> of_y, std::span<const float> y, std::span<float> of_x) {
  for_each_element(of_y, y, of_x, SigmoidGradient{});
}

void tanh_gradient(std::span<const float> of_y, std::span<const float> y, std::span<float> of_x) {
  for_each_element(of_y, y, of_x, TanhGradient{});
}

void gelu_gradient(std::span<const float> of_y, std::span<const float> x, std::span<float> of_x) {
  for_each_element(of_y, x, of_x, GeluGradient{});
}

void swish_gradient(std::span<const float> of_y, std::span<const float> x, std::span<float> of_x) {
  for_each_element(of_y, x, of_x, SwishGradient{});
}

}  // namespace carrack::train::cpu
