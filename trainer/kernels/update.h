// Optimizer updates over ranges of the flat parameter buffer: each rule once for cpu and once for cuda.
// Both round after every operation, so that they give the same bits for the same input on any device.
#pragma once

#include <span>

#include "trainer/kernels/device.h"

namespace carrack::train::cpu {

// parameters -= rate * gradients
void sgd(std::span<float> parameters, std::span<const float> gradients, float rate);

}  // namespace carrack::train::cpu

namespace carrack::train::cuda {

void sgd(Buffer& parameters, const Buffer& gradients, float rate);

}  // namespace carrack::train::cuda
