#include "trainer/kernels/activations.h"

#include <cstddef>

#include "trainer/kernels/cpu/elements.h"
#include "trainer/kernels/cpu/functions.h"

namespace carrack::train::cpu {
namespace {

// x share, but 0 for no share of infinity.
inline float share_of(float x, float share) {
  return share == 0.0f ? 0.0f : x * share;
}

}  // namespace

void relu(std::span<const float> x, std::span<float> y) {
  for_each_element(x, y, [](float value) { return value < 0.0f ? 0.0f : value; });
}

void sigmoid(std::span<const float> x, std::span<float> y) {
  for_each_element(x, y, sigmoid_of);
}

void tanh(std::span<const float> x, std::span<float> y) {
  for_each_element(x, y, tanh_of);
}

void gelu(std::span<const float> x, std::span<float> y) {
  for_each_element(x, y, [](float value) { return share_of(value, normal_share_of(value)); });
}

void swish(std::span<const float> x, std::span<float> y) {
  for_each_element(x, y, [](float value) { return share_of(value, sigmoid_of(value)); });
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

void gelu_gradient(std::span<const float> of_y, std::span<const float> x, std::span<float> of_x) {
  constexpr float density = 0.39894228f;  // of a normal distribution at 0
  for_each_element(of_y, x, of_x, [](float gradient, float value) {
    return gradient * (normal_share_of(value) + share_of(value, gaussian_of(value) * density));
  });
}

void swish_gradient(std::span<const float> of_y, std::span<const float> x, std::span<float> of_x) {
  for_each_element(of_y, x, of_x, [](float gradient, float value) {
    const float share = sigmoid_of(value);
    return gradient * (share + share_of(value, share * (1.0f - share)));
  });
}

}  // namespace carrack::train::cpu
