#include "trainer/kernels/losses.h"

#include <algorithm>
#include <cstddef>

#include "trainer/kernels/cpu/elements.h"
#include "trainer/kernels/elementwise.h"
#include "trainer/kernels/functions.h"

namespace carrack::train::cpu {
namespace {

// Returns the logarithm of the sum of exp(score - largest) over one row, added in the order of the classes.
float log_of_sum_of_exp(std::int64_t classes, const float* scores, float largest) {
  float sum = 0;
  for (std::int64_t i = 0; i < classes; ++i) sum += exp_of(scores[i] - largest);
  return log_of(sum);
}

}  // namespace

void softmax_cross_entropy(std::int64_t classes, const float* scores, std::span<const std::int64_t> labels, float* loss,
                           float* log_softmax) {
  for (std::size_t row = 0; row < labels.size(); ++row, scores += classes, log_softmax += classes) {
    const float largest = *std::max_element(scores, scores + classes);
    const float rest = log_of_sum_of_exp(classes, scores, largest);
    for (std::int64_t i = 0; i < classes; ++i) log_softmax[i] = (scores[i] - largest) - rest;
    loss[row] = -log_softmax[labels[row]];
  }
}

void softmax_cross_entropy_gradient(std::int64_t classes, const float* of_loss, const float* log_softmax,
                                    std::span<const std::int64_t> labels, float* of_scores) {
  for (std::size_t row = 0; row < labels.size(); ++row, log_softmax += classes, of_scores += classes) {
    for (std::int64_t i = 0; i < classes; ++i) of_scores[i] = of_loss[row] * exp_of(log_softmax[i]);
    of_scores[labels[row]] -= of_loss[row];
  }
}

void sigmoid_cross_entropy(std::span<const float> scores, std::span<const float> targets, std::span<float> losses) {
  for_each_element(scores, targets, losses, SigmoidCrossEntropy{});
}

void sigmoid_cross_entropy_slope(std::span<const float> scores, std::span<const float> targets,
                                 std::span<float> slopes) {
  for_each_element(scores, targets, slopes, SigmoidCrossEntropySlope{});
}

void huber(float delta, std::span<const float> predictions, std::span<const float> targets, std::span<float> losses) {
  for_each_element(predictions, targets, losses, Huber{delta});
}

void huber_slope(float delta, std::span<const float> predictions, std::span<const float> targets,
                 std::span<float> slopes) {
  for_each_element(predictions, targets, slopes, HuberSlope{delta});
}

}  // namespace carrack::train::cpu
