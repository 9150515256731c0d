// Losses and their gradients on the CPU. As with activations, the same arguments give the same bits on any machine.
#pragma once

#include <cstdint>
#include <span>

namespace carrack::train::cpu {

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

}  // namespace carrack::train::cpu
