// Activation functions, element by element. They are computed without the C library's functions, which may
// round differently on another machine or device: the same argument gives the same bits everywhere. NaN gives NaN.
#pragma once

#include <span>

#include "trainer/kernels/device.h"

namespace carrack::train {
namespace cpu {

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

}  // namespace cpu

// The same on a device: device.h says what `stream` is, and which memory spans are in.
namespace cuda {

void relu(Stream& stream, std::span<const float> x, std::span<float> y);
void sigmoid(Stream& stream, std::span<const float> x, std::span<float> y);
void tanh(Stream& stream, std::span<const float> x, std::span<float> y);
void gelu(Stream& stream, std::span<const float> x, std::span<float> y);
void swish(Stream& stream, std::span<const float> x, std::span<float> y);

void relu_gradient(Stream& stream, std::span<const float> of_y, std::span<const float> y, std::span<float> of_x);
void sigmoid_gradient(Stream& stream, std::span<const float> of_y, std::span<const float> y, std::span<float> of_x);
void tanh_gradient(Stream& stream, std::span<const float> of_y, std::span<const float> y, std::span<float> of_x);
void gelu_gradient(Stream& stream, std::span<const float> of_y, std::span<const float> x, std::span<float> of_x);
void swish_gradient(Stream& stream, std::span<const float> of_y, std::span<const float> x, std::span<float> of_x);

}  // namespace cuda
}  // namespace carrack::train
