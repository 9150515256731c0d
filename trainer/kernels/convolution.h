// Convolutions of images, computed as products of matrices (matrix.h). A row of the left matrix is a patch, the pixels
// of one window; the right matrix is the weights. On the CPU, patches are copied out of the images in pieces that fit
// into caches. The bits of a row do not depend on other rows, the number of threads or the device.
//
// Images are [rows, height, width, channels], and weights [height, width, channels of a group, filters]. Group i reads
// the channels from i * channels / groups on, and has the filters from i * filters / groups on.
#pragma once

#include <algorithm>
#include <cstdint>

#include "trainer/kernels/device.h"
#include "trainer/kernels/lanes.h"
#include "trainer/kernels/window.h"

namespace carrack::train {

struct ConvolutionShape {
  std::int64_t rows = 1;
  WindowAxis height, width;
  std::int64_t channels = 1;
  std::int64_t filters = 1;
  std::int64_t groups = 1;

  constexpr std::int64_t pixels() const { return height.output * width.output; }  // of one output image
  constexpr std::int64_t group_channels() const { return channels / groups; }
  constexpr std::int64_t group_filters() const { return filters / groups; }
  constexpr std::int64_t patch_size() const { return height.size * width.size * group_channels(); }  // of one group

  // Whether the patches are the pixels themselves, so that nothing needs to be copied.
  constexpr bool is_product() const {
    const auto is_same = [](const WindowAxis& axis) {
      return axis.size == 1 && axis.stride == 1 && axis.pad == 0 && axis.input == axis.output;
    };
    return is_same(height) && is_same(width) && groups == 1;
  }
};

// The memory of a thread, in floats: for patches, and for sums of lanes. A single patch, or the sums for one of its
// elements, may need more.
inline constexpr std::int64_t convolution_patch_floats = 1 << 17, convolution_sum_floats = 1 << 18;
// The most sums of lanes that wait at once: one for each level of the tree over 2^16 lanes, and the root.
inline constexpr std::int64_t convolution_sums_max = 17;

// The most memory, in bytes, that a thread needs for a convolution or one of its gradients.
constexpr double convolution_thread_bytes(const ConvolutionShape& of) {
  return static_cast<double>(sizeof(float)) *
         static_cast<double>(std::max(convolution_patch_floats, of.patch_size()) +
                             std::max(convolution_sum_floats, convolution_sums_max * of.group_filters()));
}

namespace cpu {

class ThreadPool;

// y[row, i, j, filter] is the chain of fused multiply-adds of the patch at (i, j) and the filter's weights. Pixels of
// padding are 0. Divides pixels among `threads`.
//
// In all three functions null `threads` means the calling thread alone. Each computing thread keeps
// convolution_thread_bytes(), and the packing memory of products, until it ends. Calls that need no more allocate
// nothing.
void convolution(const ConvolutionShape& shape, const float* x, const float* weights, float* y,
                 ThreadPool* threads = nullptr);

// The gradient of x from the gradient of y. Divides rows among `threads`. If several windows read a pixel, their shares
// are added in the order of the windows.
void convolution_input_gradient(const ConvolutionShape& shape, const float* of_y, const float* weights, float* of_x,
                                ThreadPool* threads = nullptr);

// The gradient of the weights from the gradient of y. Each lane is a chain over the pixels of its rows, and the sums of
// lanes are added along their tree; without lanes there is one chain. Throws Error with Blame::bug if the last lane
// does not end at the number of rows.
void convolution_weight_gradient(const ConvolutionShape& shape, const float* of_y, const float* x, float* of_weights,
                                 const LaneEnds& lane_ends = {}, ThreadPool* threads = nullptr);

}  // namespace cpu

// The same bits on a GPU. All pointers and the ends of lanes are in its memory; see Stream in device.h. The ends of
// lanes are not checked.
namespace cuda {

void convolution(Stream& stream, const ConvolutionShape& shape, const float* x, const float* weights, float* y);
void convolution_input_gradient(Stream& stream, const ConvolutionShape& shape, const float* of_y, const float* weights,
                                float* of_x);
void convolution_weight_gradient(Stream& stream, const ConvolutionShape& shape, const float* of_y, const float* x,
                                 float* of_weights, const LaneEnds& lane_ends = {});

}  // namespace cuda
}  // namespace carrack::train
