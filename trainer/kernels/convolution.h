// The convolution of images of a Conv2D layer, and its gradients. The executor calls them. They are computed as
// products of matrices (matrix.h): a row of the left matrix is a patch, the pixels of one window, and the right matrix
// is the weights. On the CPU, unless is_product(), patches are copied out of the images, as many at a time as fit into
// caches. The bits of a row (an image of the batch) do not depend on other rows, the number of threads or the device.
//
// Images are [rows, height, width, channels], and weights [height, width, channels of a group, filters]. Group i reads
// channels / groups channels from number i * channels / groups on, and has filters / groups filters from number i *
// filters / groups on; both quotients must be whole. An argument of_y, of_x or of_weights is the gradient of the loss
// with respect to y, x or the weights.
#pragma once

#include <algorithm>
#include <cstdint>

#include "trainer/kernels/device.h"
#include "trainer/kernels/lanes.h"
#include "trainer/kernels/window.h"

namespace carrack::train {

struct ConvolutionShape {
  std::int64_t rows = 1;     // images of the batch
  WindowAxis height, width;  // sizes of images and windows, strides and padding
  std::int64_t channels = 1;
  std::int64_t filters = 1;  // channels of the output
  std::int64_t groups = 1;

  constexpr std::int64_t pixels() const { return height.output * width.output; }  // of one output image
  constexpr std::int64_t group_channels() const { return channels / groups; }
  constexpr std::int64_t group_filters() const { return filters / groups; }
  constexpr std::int64_t patch_size() const { return height.size * width.size * group_channels(); }  // of one group

  // Whether each patch is the pixel of the image at the same position, so that x itself is the left matrix.
  constexpr bool is_product() const {
    const auto is_same = [](const WindowAxis& axis) {
      return axis.size == 1 && axis.stride == 1 && axis.pad == 0 && axis.input == axis.output;
    };
    return is_same(height) && is_same(width) && groups == 1;
  }
};

// The scratch memory of a CPU thread, in floats, for patches and for sums of lanes. It is larger if a single patch, or
// the sums for a single element of it, need more: see convolution_thread_bytes().
inline constexpr std::int64_t convolution_patch_floats = 1 << 17, convolution_sum_floats = 1 << 18;
// The maximum number of sums of lanes that are in memory at the same time: one for each level of the tree over 2^16
// lanes, and one for its root.
inline constexpr std::int64_t convolution_sums_max = 17;

// The memory, in bytes, that a CPU thread allocates for a convolution or one of its gradients, without the packing
// memory of products.
constexpr double convolution_thread_bytes(const ConvolutionShape& of) {
  return static_cast<double>(sizeof(float)) *
         static_cast<double>(std::max(convolution_patch_floats, of.patch_size()) +
                             std::max(convolution_sum_floats, convolution_sums_max * of.group_filters()));
}

namespace cpu {

class ThreadPool;

// y[row, i, j, filter] is the product of the patch at (i, j) and the filter's weights, one chain of fused
// multiply-adds. Pixels of padding are 0. Divides pixels of the output among `threads`.
//
// In all three functions null `threads` means that the calling thread computes alone, and results must not overlap
// arguments. Each computing thread retains convolution_thread_bytes() bytes (none if is_product()), and the packing
// memory of products (matrix.h), until it ends. Calls that need no more than an earlier one allocate nothing.
void convolution(const ConvolutionShape& shape, const float* x, const float* weights, float* y,
                 ThreadPool* threads = nullptr);

// Computes the gradient of x from the gradient of y. Divides rows among `threads`. If several windows read a pixel,
// their contributions to its gradient are added in the order of the windows.
void convolution_input_gradient(const ConvolutionShape& shape, const float* of_y, const float* weights, float* of_x,
                                ThreadPool* threads = nullptr);

// Computes the gradient of the weights from the gradient of y. A lane is a share of the batch's rows (lanes.h). The sum
// of each lane is one chain over the output pixels of its rows, and the sums of lanes are added along their tree;
// without lanes there is one chain over all rows. Throws Error with Blame::bug if `lane_ends` are not valid or the last
// lane does not end at the number of rows.
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
