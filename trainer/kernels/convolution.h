// Convolutions of images, as products of matrices (matrix.h): a row of the left one is a patch, the pixels of a window,
// and the right one are the weights. On the CPU, patches are copied out of the images in pieces that fit into caches.
// The bits of a row of results depend on nothing beside it, nor on the number of threads, nor on the device.
//
// Images are [rows, height, width, channels], weights [height, width, channels of a group, filters]. Group i reads the
// channels from i * channels / groups on, and its filters are those from i * filters / groups on.
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

  constexpr std::int64_t pixels() const { return height.output * width.output; }  // of a row of the output
  constexpr std::int64_t group_channels() const { return channels / groups; }
  constexpr std::int64_t group_filters() const { return filters / groups; }
  constexpr std::int64_t patch_size() const { return height.size * width.size * group_channels(); }  // of a group

  // Whether the patches are the pixels as they are.
  constexpr bool is_product() const {
    const auto is_same = [](const WindowAxis& axis) {
      return axis.size == 1 && axis.stride == 1 && axis.pad == 0 && axis.input == axis.output;
    };
    return is_same(height) && is_same(width) && groups == 1;
  }
};

// Floats that are computed with at once: of patches, and of sums of lanes.
inline constexpr std::int64_t convolution_patch_floats = 1 << 17, convolution_sum_floats = 1 << 18;
// The height of the tree over as many lanes as there can be, and the root.
inline constexpr std::int64_t convolution_sums_max = 17;

// At most, in bytes: what a thread needs for a convolution or one of its gradients.
constexpr double convolution_thread_bytes(const ConvolutionShape& of) {
  return static_cast<double>(sizeof(float)) *
         static_cast<double>(std::max(convolution_patch_floats, of.patch_size()) +
                             std::max(convolution_sum_floats, convolution_sums_max * of.group_filters()));
}

namespace cpu {

class ThreadPool;

// y[row, i, j, filter] is the chain of fused multiply-adds of the patch at (i, j) and the filter's weights. Pixels that
// are padding are 0.
//
// Divides pixels among `threads`. Each thread that computes owns convolution_thread_bytes() until it ends, beside the
// packing memory of products; once that is there, calls allocate nothing. So it is with the next two.
void convolution(const ConvolutionShape& shape, const float* x, const float* weights, float* y,
                 ThreadPool* threads = nullptr);

// The gradient of x from that of y. Divides rows among `threads`. What several windows add to a pixel is added up in
// the order of the windows.
void convolution_input_gradient(const ConvolutionShape& shape, const float* of_y, const float* weights, float* of_x,
                                ThreadPool* threads = nullptr);

// The gradient of the weights from that of y. Each lane is a chain over the pixels of its rows, and the sums of lanes
// are added along the fixed tree; the last lane ends at the number of rows. Without lanes there is one chain.
void convolution_weight_gradient(const ConvolutionShape& shape, const float* of_y, const float* x, float* of_weights,
                                 const LaneEnds& lane_ends = {}, ThreadPool* threads = nullptr);

}  // namespace cpu

// The same bits on a device: device.h says what `stream` is, and which memory all pointers and the ends of lanes are
// in. The ends must be as described, which is not checked.
namespace cuda {

void convolution(Stream& stream, const ConvolutionShape& shape, const float* x, const float* weights, float* y);
void convolution_input_gradient(Stream& stream, const ConvolutionShape& shape, const float* of_y, const float* weights,
                                float* of_x);
void convolution_weight_gradient(Stream& stream, const ConvolutionShape& shape, const float* of_y, const float* x,
                                 float* of_weights, const LaneEnds& lane_ends = {});

}  // namespace cuda
}  // namespace carrack::train
