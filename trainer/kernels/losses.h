// Losses and their gradients. As with activations, the same arguments give the same bits on any machine.
#pragma once

#include <cstdint>
#include <span>

#include "trainer/kernels/device.h"
#include "trainer/kernels/refused.h"

namespace carrack::train {
namespace cpu {

// `log_softmax` [rows, classes] = scores - log(sum of exp(scores)) by row; loss[row] = -log_softmax[row, label]. The
// labels must be from 0 to classes - 1, which the function does not check.
void softmax_cross_entropy(std::int64_t classes, const float* scores, std::span<const std::int64_t> labels, float* loss,
                           float* log_softmax);
// of_scores = of_loss (softmax - 1 at the label)
void softmax_cross_entropy_gradient(std::int64_t classes, const float* of_loss, const float* log_softmax,
                                    std::span<const std::int64_t> labels, float* of_scores);

// The following work element by element, on spans of the same size. Losses: sigmoid cross entropy of scores and
// targets, and Huber's. Slopes: their derivatives by the score or the prediction.
void sigmoid_cross_entropy(std::span<const float> scores, std::span<const float> targets, std::span<float> losses);
void sigmoid_cross_entropy_slope(std::span<const float> scores, std::span<const float> targets,
                                 std::span<float> slopes);
void huber(float delta, std::span<const float> predictions, std::span<const float> targets, std::span<float> losses);
void huber_slope(float delta, std::span<const float> predictions, std::span<const float> targets,
                 std::span<float> slopes);

}  // namespace cpu

// The same on a device: device.h says what `stream` is, and which memory pointers and spans are in. A label that is no
// class, and a target of sigmoid cross entropy below 0 or above 1, are written to `refused`.
namespace cuda {

void softmax_cross_entropy(Stream& stream, std::int64_t classes, const float* scores,
                           std::span<const std::int64_t> labels, float* loss, float* log_softmax, Refused* refused);
void softmax_cross_entropy_gradient(Stream& stream, std::int64_t classes, const float* of_loss,
                                    const float* log_softmax, std::span<const std::int64_t> labels, float* of_scores,
                                    Refused* refused);
void sigmoid_cross_entropy(Stream& stream, std::span<const float> scores, std::span<const float> targets,
                           std::span<float> losses, Refused* refused);
void sigmoid_cross_entropy_slope(Stream& stream, std::span<const float> scores, std::span<const float> targets,
                                 std::span<float> slopes);
void huber(Stream& stream, float delta, std::span<const float> predictions, std::span<const float> targets,
           std::span<float> losses);
void huber_slope(Stream& stream, float delta, std::span<const float> predictions, std::span<const float> targets,
                 std::span<float> slopes);

}  // namespace cuda
}  // namespace carrack::train
