// Losses and their gradients. The same arguments give the same bits on any machine and device.
#pragma once

#include <cstdint>
#include <span>

#include "trainer/kernels/device.h"
#include "trainer/kernels/refused.h"

namespace carrack::train {
namespace cpu {

// `log_softmax` [rows, classes] = scores - log(sum of exp(scores)) by row; loss[row] = -log_softmax[row, label]. The
// labels must be from 0 to classes - 1, which is not checked.
void softmax_cross_entropy(std::int64_t classes, const float* scores, std::span<const std::int64_t> labels, float* loss,
                           float* log_softmax);
// of_scores = of_loss * softmax, but of_loss * (softmax - 1) at the label
void softmax_cross_entropy_gradient(std::int64_t classes, const float* of_loss, const float* log_softmax,
                                    std::span<const std::int64_t> labels, float* of_scores);

// The functions below work element by element, on spans of the same size. sigmoid_cross_entropy() is the cross entropy
// of sigmoid(score) and a target from 0 to 1. Slopes are the derivatives by the score or the prediction.
void sigmoid_cross_entropy(std::span<const float> scores, std::span<const float> targets, std::span<float> losses);
void sigmoid_cross_entropy_slope(std::span<const float> scores, std::span<const float> targets,
                                 std::span<float> slopes);
void huber(float delta, std::span<const float> predictions, std::span<const float> targets, std::span<float> losses);
void huber_slope(float delta, std::span<const float> predictions, std::span<const float> targets,
                 std::span<float> slopes);

}  // namespace cpu

// The same functions on a GPU. Pointers and spans are in its memory; see Stream in device.h. A label that is not a
// class, or a target of sigmoid_cross_entropy() below 0 or above 1, is written to `refused`.
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
