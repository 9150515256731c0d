// Activation functions on the CPU, element by element. They are computed without the C library's functions, which may
// round differently on another machine: the same argument gives the same bits everywhere. NaN gives NaN.
#pragma once

#include <span>

namespace carrack::train::cpu {

// All spans of a call have the same size. The result may be an operand itself.
void relu(std::span<const float> x, std::span<float> y);
void sigmoid(std::span<const float> x, std::span<float> y);
void tanh(std::span<const float> x, std::span<float> y);
// x times the share of a normal distribution below x, and x sigmoid(x).
void gelu(std::span<const float> x, std::span<float> y);
void swish(std::span<const float> x, std::span<float> y);

// The gradient of the input, from that of the output and the output `y` itself.
void relu_gradient(std::span<const float> of_y, std::span<const float> y, std::span<float> of_x);
void sigmoid_gradient(std::span<const float> of_y, std::span<const float> y, std::span<float> of_x);
void tanh_gradient(std::span<const float> of_y, std::span<const float> y, std::span<float> of_x);

// The same, from that of the output and the input.
void gelu_gradient(std::span<const float> of_y, std::span<const float> x, std::span<float> of_x);
void swish_gradient(std::span<const float> of_y, std::span<const float> x, std::span<float> of_x);

}  // namespace carrack::train::cpu
