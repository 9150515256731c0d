// Pooling of images: each channel's maximum or mean over the pixels of windows. The bits of a row of results depend on
// nothing beside it, nor on the number of threads, nor on the device.
//
// Images are [rows, height, width, channels]. Pixels of padding are left out: a window has at least one pixel of the
// image, and its dilation is 1.
#pragma once

#include <cstdint>

#include "trainer/kernels/device.h"
#include "trainer/kernels/window.h"

namespace carrack::train {

struct PoolingShape {
  std::int64_t rows = 1;
  WindowAxis height, width;
  std::int64_t channels = 1;

  constexpr std::int64_t pixels() const { return height.output * width.output; }  // of a row of the output
};

namespace cpu {

class ThreadPool;

// The maximum is NaN if a value is NaN.
void max_pool(const PoolingShape& shape, const float* x, float* y, ThreadPool* threads = nullptr);

// The gradient of x from that of y, which goes to the first of a window's pixels that has its maximum, line by line; if
// there is NaN, to the first NaN. What several windows add to a pixel is added up in the order of the windows.
void max_pool_gradient(const PoolingShape& shape, const float* of_y, const float* x, float* of_x,
                       ThreadPool* threads = nullptr);

// Sums are in double precision, so that large windows lose nothing.
void average_pool(const PoolingShape& shape, const float* x, float* y, ThreadPool* threads = nullptr);

// The gradient of x from that of y: each pixel of a window has an equal share. Shares are added up in the order of the
// windows.
void average_pool_gradient(const PoolingShape& shape, const float* of_y, float* of_x, ThreadPool* threads = nullptr);

}  // namespace cpu

// The same on a device: device.h says what `stream` is, and which memory all pointers are in. For the gradient of
// maxima each pixel reads all windows that it is in, which takes long if many large ones overlap.
namespace cuda {

void max_pool(Stream& stream, const PoolingShape& shape, const float* x, float* y);
void max_pool_gradient(Stream& stream, const PoolingShape& shape, const float* of_y, const float* x, float* of_x);
void average_pool(Stream& stream, const PoolingShape& shape, const float* x, float* y);
void average_pool_gradient(Stream& stream, const PoolingShape& shape, const float* of_y, float* of_x);

}  // namespace cuda
}  // namespace carrack::train
