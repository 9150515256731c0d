// Pooling of images: the maximum or mean of each channel over the pixels of windows. The executor calls these
// functions. The bits of a row do not depend on other rows, the number of threads or the device.
//
// Images are [rows, height, width, channels]. Pixels of padding are left out. Each window must contain at least one
// pixel of the image, and its dilation must be 1; neither is checked. An argument of_y or of_x is the gradient of the
// loss with respect to y or x.
#pragma once

#include <cstdint>

#include "trainer/kernels/device.h"
#include "trainer/kernels/window.h"

namespace carrack::train {

struct PoolingShape {
  std::int64_t rows = 1;
  WindowAxis height, width;
  std::int64_t channels = 1;

  constexpr std::int64_t pixels() const { return height.output * width.output; }  // of one output image
};

namespace cpu {

class ThreadPool;

// Computes the maximum of each window, or NaN if a value of it is NaN. In all four functions null `threads` means that
// the calling thread computes alone.
void max_pool(const PoolingShape& shape, const float* x, float* y, ThreadPool* threads = nullptr);

// Computes the gradient of x from the gradient of y. The gradient of a window goes to its first pixel, line by line,
// that has the maximum, or to its first NaN. If a pixel gets gradients of several windows, they are added in the order
// of the windows.
void max_pool_gradient(const PoolingShape& shape, const float* of_y, const float* x, float* of_x,
                       ThreadPool* threads = nullptr);

// Computes the mean of each window. Sums are in double precision, so that large windows lose no precision.
void average_pool(const PoolingShape& shape, const float* x, float* y, ThreadPool* threads = nullptr);

// Computes the gradient of x from the gradient of y. Each pixel of a window gets an equal share of its gradient. Shares
// of several windows are added in their order.
void average_pool_gradient(const PoolingShape& shape, const float* of_y, float* of_x, ThreadPool* threads = nullptr);

}  // namespace cpu

// The same functions on a GPU. All pointers are in its memory; see Stream in device.h. In max_pool_gradient() each
// pixel reads all windows that it is in, which takes long if many large windows overlap.
namespace cuda {

void max_pool(Stream& stream, const PoolingShape& shape, const float* x, float* y);
void max_pool_gradient(Stream& stream, const PoolingShape& shape, const float* of_y, const float* x, float* of_x);
void average_pool(Stream& stream, const PoolingShape& shape, const float* x, float* y);
void average_pool_gradient(Stream& stream, const PoolingShape& shape, const float* of_y, float* of_x);

}  // namespace cuda
}  // namespace carrack::train
