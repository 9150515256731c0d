#include "trainer/kernels/losses.h"

#include <cstddef>

#include "trainer/kernels/cuda/elements.cuh"
#include "trainer/kernels/cuda/refuse.cuh"
#include "trainer/kernels/cuda/row_sums.cuh"
#include "trainer/kernels/elementwise.h"
#include "trainer/kernels/functions.h"

namespace carrack::train::cuda {
namespace {

constexpr unsigned all_of_warp = ~0u;
constexpr unsigned block_threads = LaunchSize{}.threads_per_block;

// Returns the largest score of a row to all threads of a warp, which must all call this.
__device__ float largest_of(std::int64_t classes, const float* scores, unsigned thread) {
  float largest = scores[0];
  for (std::int64_t i = thread; i < classes; i += warp_threads) largest = largest < scores[i] ? scores[i] : largest;
  for (unsigned other = warp_threads / 2; other > 0; other /= 2) {
    const float there = __shfl_xor_sync(all_of_warp, largest, other);
    largest = largest < there ? there : largest;
  }
  return largest;
}

// A warp computes each row, warp_threads classes at a time: each thread computes one exponential, then each thread adds
// up all of them in the order of the classes, so all have the same sum.
__global__ void softmax_cross_entropy_kernel(std::int64_t classes, const float* scores, const std::int64_t* labels,
                                             std::int64_t rows, float* loss, float* log_softmax, Refused* refused) {
  CARRACK_SHARED_ARRAY(float, exponentials, block_threads);
  const unsigned first_of_warp = threadIdx.x - threadIdx.x % warp_threads;
  for_each_row<warp_threads>(rows, [&](std::int64_t row, unsigned thread) {
    const float* const from = scores + row * classes;
    const float largest = largest_of(classes, from, thread);
    float sum = 0;
    for (std::int64_t i = thread; i - thread < classes; i += warp_threads) {
      exponentials[threadIdx.x] = i < classes ? exp_of(from[i] - largest) : 0;  // zeros do not change the sum
      __syncwarp();
      for (unsigned other = 0; other < warp_threads; ++other) sum += exponentials[first_of_warp + other];
      __syncwarp();
    }
    const float rest = log_of(sum);
    const std::int64_t label = labels[row];
    for (std::int64_t i = thread; i < classes; i += warp_threads) {
      const float logarithm = (from[i] - largest) - rest;
      log_softmax[row * classes + i] = logarithm;
      if (i == label) loss[row] = -logarithm;
    }
    if (thread == 0 && !is_inside(label, classes)) refuse(refused, label);
  });
}

__global__ void softmax_gradient_kernel(std::int64_t classes, const float* of_loss, const float* log_softmax,
                                        const std::int64_t* labels, float* of_scores, std::size_t size,
                                        Refused* refused) {
  for_each_of_grid(size, [=](std::size_t i) {
    const std::int64_t row = static_cast<std::int64_t>(i) / classes, column = static_cast<std::int64_t>(i) % classes;
    const std::int64_t label = labels[row];
    const float of_score = of_loss[row] * exp_of(log_softmax[i]);
    of_scores[i] = column == label ? of_score - of_loss[row] : of_score;
    if (column == 0 && !is_inside(label, classes)) refuse(refused, label);
  });
}

__global__ void sigmoid_cross_entropy_kernel(const float* scores, const float* targets, float* losses, std::size_t size,
                                             Refused* refused) {
  for_each_of_grid(size, [=](std::size_t i) {
    losses[i] = SigmoidCrossEntropy{}(scores[i], targets[i]);
    if (targets[i] < 0 || targets[i] > 1) refuse(refused, targets[i]);
  });
}

}  // namespace

void softmax_cross_entropy(Stream& stream, std::int64_t classes, const float* scores,
                           std::span<const std::int64_t> labels, float* loss, float* log_softmax, Refused* refused) {
  if (labels.empty()) return;
  const LaunchSize size = launch_for(labels.size() * warp_threads);
  launch("cuda::softmax_cross_entropy", stream.handle(), size, softmax_cross_entropy_kernel, classes, scores,
         labels.data(), static_cast<std::int64_t>(labels.size()), loss, log_softmax, refused);
}

void softmax_cross_entropy_gradient(Stream& stream, std::int64_t classes, const float* of_loss,
                                    const float* log_softmax, std::span<const std::int64_t> labels, float* of_scores,
                                    Refused* refused) {
  const std::size_t size = labels.size() * static_cast<std::size_t>(classes);
  if (size == 0) return;
  launch("cuda::softmax_cross_entropy_gradient", stream.handle(), launch_for(size), softmax_gradient_kernel, classes,
         of_loss, log_softmax, labels.data(), of_scores, size, refused);
}

void sigmoid_cross_entropy(Stream& stream, std::span<const float> scores, std::span<const float> targets,
                           std::span<float> losses, Refused* refused) {
  if (losses.empty()) return;
  launch("cuda::sigmoid_cross_entropy", stream.handle(), launch_for(losses.size()), sigmoid_cross_entropy_kernel,
         scores.data(), targets.data(), losses.data(), losses.size(), refused);
}

void sigmoid_cross_entropy_slope(Stream& stream, std::span<const float> scores, std::span<const float> targets,
                                 std::span<float> slopes) {
  for_each_element("cuda::sigmoid_cross_entropy_slope", stream, scores, targets, slopes, SigmoidCrossEntropySlope{});
}

void huber(Stream& stream, float delta, std::span<const float> predictions, std::span<const float> targets,
           std::span<float> losses) {
  for_each_element("cuda::huber", stream, predictions, targets, losses, Huber{delta});
}

void huber_slope(Stream& stream, float delta, std::span<const float> predictions, std::span<const float> targets,
                 std::span<float> slopes) {
  for_each_element("cuda::huber_slope", stream, predictions, targets, slopes, HuberSlope{delta});
}

}  // namespace carrack::train::cuda
