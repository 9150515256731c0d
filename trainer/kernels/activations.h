// Activation functions, element by element, and their gradients. The executor calls them for operators such as Relu.
// They do not use the C library's functions, which may round differently on another machine: the same argument gives
// the same bits on every machine and device. NaN gives NaN, except in relu_gradient(). An argument of_y or of_x is the
// gradient of the loss with respect to y or x.
#pragma once

#include <span>

#include "trainer/kernels/device.h"

namespace carrack::train {
namespace cpu {

// All spans of a call must have the same size, which is not checked. The result may be the same elements as an
// argument, but must not overlap one otherwise.
void relu(std::span<const float> x, std::span<float> y);
void sigmoid(std::span<const float> x, std::span<float> y);
void tanh(std::span<const float> x, std::span<float> y);
// gelu() is not the approximation by tanh, but x times the probability that a normally distributed number is below x.
// swish() is x sigmoid(x).
void gelu(std::span<const float> x, std::span<float> y);
void swish(std::span<const float> x, std::span<float> y);

// Write the gradient of the input, computed from the gradient of the output and the output `y`. That of relu is 0 where
// y is 0 or NaN.
void relu_gradient(std::span<const float> of_y, std::span<const float> y, std::span<float> of_x);
void sigmoid_gradient(std::span<const float> of_y, std::span<const float> y, std::span<float> of_x);
void tanh_gradient(std::span<const float> of_y, std::span<const float> y, std::span<float> of_x);

// Write the gradient of the input, computed from the gradient of the output and the input `x`.
void gelu_gradient(std::span<const float> of_y, std::span<const float> x, std::span<float> of_x);
void swish_gradient(std::span<const float> of_y, std::span<const float> x, std::span<float> of_x);

}  // namespace cpu

// The same functions on a GPU. Spans are in its memory; see Stream in device.h.
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
