#include "trainer/kernels/activations.h"

#include <cstddef>

#include "trainer/kernels/cpu/elements.h"
#include "trainer/kernels/cpu/functions.h"

namespace carrack::train::cpu {

void relu(std::span<const float> x, std::span<float> y) {
  for_each_element(x, y, [](float value) { return value < 0.0f ? 0.0f : value; });
}

void sigmoid(std::span<const float> x, std::span<float> y) {
  for_each_element(x, y, sigmoid_of);
}

void tanh(std::span<const float> x, std::span<float> y) {
  for_each_element(x, y, tanh_of);
}

void relu_gradient(std::span<const float> of_y, std::span<const float> y, std::span<float> of_x) {
  for_each_element(of_y, y, of_x, [](float gradient, float output) { return output > 0.0f ? gradient : 0.0f; });
}

void sigmoid_gradient(std::span<const float> of_y, std::span<const float> y, std::span<float> of_x) {
  for_each_element(of_y, y, of_x, [](float gradient, float output) { return gradient * (output * (1.0f - output)); });
}

void tanh_gradient(std::span<const float> of_y, std::span<const float> y, std::span<float> of_x) {
  for_each_element(of_y, y, of_x, [](float gradient, float output) { return gradient * (1.0f - output * output); });
}

}  // namespace carrack::train::cpu
