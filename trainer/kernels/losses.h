// The losses SoftmaxCrossEntropy, SigmoidCrossEntropy and Huber, and their gradients, for classification and
// regression. The executor calls them. The same arguments give the same bits on any machine and device. An argument
// of_loss or of_scores is the gradient of the job's loss with respect to these losses or scores.
#pragma once

#include <cstdint>
#include <span>

#include "trainer/kernels/device.h"
#include "trainer/kernels/refused.h"

namespace carrack::train {
namespace cpu {

// Computes labels.size() rows. `scores` and `log_softmax` are [rows, classes]. In each row, log_softmax = scores -
// log(sum of exp(scores)) and loss[row] = -log_softmax[row, label]. The labels must be from 0 to classes - 1, which is
// not checked.
void softmax_cross_entropy(std::int64_t classes, const float* scores, std::span<const std::int64_t> labels, float* loss,
                           float* log_softmax);
// of_scores = of_loss * softmax, except at the label: there it is of_loss * (softmax - 1).
void softmax_cross_entropy_gradient(std::int64_t classes, const float* of_loss, const float* log_softmax,
                                    std::span<const std::int64_t> labels, float* of_scores);

// The functions below work element by element, on spans of the same size, which is not checked, and write their last
// argument. sigmoid_cross_entropy() is the cross entropy of sigmoid(score) and a target, which must be from 0 to 1 (not
// checked). huber() is d^2 / 2 if |d| <= delta, else delta (|d| - delta / 2), where d = prediction - target. Slopes are
// the derivatives with respect to the score or the prediction.
void sigmoid_cross_entropy(std::span<const float> scores, std::span<const float> targets, std::span<float> losses);
void sigmoid_cross_entropy_slope(std::span<const float> scores, std::span<const float> targets,
                                 std::span<float> slopes);
void huber(float delta, std::span<const float> predictions, std::span<const float> targets, std::span<float> losses);
void huber_slope(float delta, std::span<const float> predictions, std::span<const float> targets,
                 std::span<float> slopes);

}  // namespace cpu

// The same functions on a GPU. Pointers and spans are in its memory; see Stream in device.h. A label that is not a
// class, or a target of sigmoid_cross_entropy() below 0 or above 1, is reported in `refused` (refused.h).
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
