#include "trainer/kernels/pooling.h"

#include <algorithm>
#include <cstddef>

#include "trainer/kernels/cuda/elements.cuh"
#include "trainer/kernels/elementwise.h"

namespace carrack::train::cuda {
namespace {

// The position of one channel of a pixel, in the images or in the output.
struct Place {
  std::int64_t row, i, j, channel;
};

__device__ Place place_of(std::int64_t element, std::int64_t width, std::int64_t height, std::int64_t channels) {
  const std::int64_t pixel = element / channels, line = pixel / width;
  return {line / height, line % height, pixel % width, element % channels};
}

// One channel of the pixels of a window that are in the image, without padding.
struct Window {
  const float* image;  // the channel at the first pixel of the row
  Range lines, columns;
  std::int64_t width, channels;

  __device__ float at(std::int64_t i, std::int64_t j) const { return image[(i * width + j) * channels]; }
  __device__ std::int64_t count() const { return lines.size() * columns.size(); }
  __device__ float maximum() const {
    float best = at(lines.begin, columns.begin);
    for_each([&](std::int64_t, std::int64_t, float value) { best = is_above(value, best) ? value : best; });
    return best;
  }
  // Calls function(i, j, value), line by line.
  template <class Function>
  __device__ void for_each(const Function& function) const {
    for (std::int64_t i = lines.begin; i < lines.end; ++i) {
      for (std::int64_t j = columns.begin; j < columns.end; ++j) function(i, j, at(i, j));
    }
  }
};

// `output` is the position of the window in the output.
__device__ Window window_at(const PoolingShape& shape, const float* x, const Place& output) {
  const std::int64_t row_size = shape.height.input * shape.width.input * shape.channels;
  return {x + output.row * row_size + output.channel, shape.height.pixels_of(output.i), shape.width.pixels_of(output.j),
          shape.width.input, shape.channels};
}

// Returns the windows along an axis that contain the pixel `pixel` of the input.
__device__ Range windows_with(const WindowAxis& axis, std::int64_t pixel) {
  // A window that begins at `end_before`, counted from the first pixel of padding, ends just before the pixel. So the
  // first window with the pixel is the next one.
  const std::int64_t end_before = pixel + axis.pad - axis.size;
  return {end_before < 0 ? 0 : end_before / axis.stride + 1,
          std::min((pixel + axis.pad) / axis.stride + 1, axis.output)};
}

// Sets y[element] to function(window), where `window` is the element's window.
template <class Function>
__global__ void pool_kernel(Function function, PoolingShape shape, const float* x, float* y, std::size_t size) {
  for_each_of_grid(size, [=](std::size_t i) {
    const Place place = place_of(static_cast<std::int64_t>(i), shape.width.output, shape.height.output, shape.channels);
    y[i] = function(window_at(shape, x, place));
  });
}

// Sets of_x[element] to the sum of function(window, gradient of the window, i, j) over the windows that contain the
// pixel (i, j). Adds them in the order of the windows, as the CPU does.
template <class Function>
__global__ void pool_gradient_kernel(Function function, PoolingShape shape, const float* of_y, const float* x,
                                     float* of_x, std::size_t size) {
  for_each_of_grid(size, [=](std::size_t element) {
    const Place at =
        place_of(static_cast<std::int64_t>(element), shape.width.input, shape.height.input, shape.channels);
    const Range lines = windows_with(shape.height, at.i), columns = windows_with(shape.width, at.j);
    float sum = 0.0f;
    for (std::int64_t i = lines.begin; i < lines.end; ++i) {
      for (std::int64_t j = columns.begin; j < columns.end; ++j) {
        const std::int64_t output = ((at.row * shape.height.output + i) * shape.width.output + j) * shape.channels;
        sum += function(window_at(shape, x, {at.row, i, j, at.channel}), of_y[output + at.channel], at.i, at.j);
      }
    }
    of_x[element] = sum;
  });
}

struct Maximum {
  __device__ float operator()(const Window& window) const { return window.maximum(); }
};

// The gradient of a window goes to its first pixel with the maximum.
struct MaximumGradient {
  __device__ float operator()(const Window& window, float of_y, std::int64_t i, std::int64_t j) const {
    float best = window.at(window.lines.begin, window.columns.begin);
    bool is_here = window.lines.begin == i && window.columns.begin == j;
    window.for_each([&](std::int64_t line, std::int64_t column, float value) {
      if (!is_above(value, best)) return;
      best = value;
      is_here = line == i && column == j;
    });
    return is_here ? of_y : 0.0f;
  }
};

struct Average {
  __device__ float operator()(const Window& window) const {
    double sum = 0;
    window.for_each([&](std::int64_t, std::int64_t, float value) { sum += static_cast<double>(value); });
    return static_cast<float>(sum / static_cast<double>(window.count()));
  }
};

// Reads no pixel, because only the number of pixels matters.
struct AverageGradient {
  __device__ float operator()(const Window& window, float of_y, std::int64_t, std::int64_t) const {
    return of_y / static_cast<float>(window.count());
  }
};

template <class Function>
void pool(const char* what, Stream& stream, const Function& function, const PoolingShape& shape, const float* x,
          float* y) {
  const auto size = static_cast<std::size_t>(shape.rows * shape.pixels() * shape.channels);
  if (size == 0) return;
  launch(what, stream.handle(), launch_for(size), pool_kernel<Function>, function, shape, x, y, size);
}

template <class Function>
void pool_gradient(const char* what, Stream& stream, const Function& function, const PoolingShape& shape,
                   const float* of_y, const float* x, float* of_x) {
  const auto size = static_cast<std::size_t>(shape.rows * shape.height.input * shape.width.input * shape.channels);
  if (size == 0) return;
  launch(what, stream.handle(), launch_for(size), pool_gradient_kernel<Function>, function, shape, of_y, x, of_x, size);
}

}  // namespace

void max_pool(Stream& stream, const PoolingShape& shape, const float* x, float* y) {
  pool("cuda::max_pool", stream, Maximum(), shape, x, y);
}

void max_pool_gradient(Stream& stream, const PoolingShape& shape, const float* of_y, const float* x, float* of_x) {
  pool_gradient("cuda::max_pool_gradient", stream, MaximumGradient(), shape, of_y, x, of_x);
}

void average_pool(Stream& stream, const PoolingShape& shape, const float* x, float* y) {
  pool("cuda::average_pool", stream, Average(), shape, x, y);
}

void average_pool_gradient(Stream& stream, const PoolingShape& shape, const float* of_y, float* of_x) {
  pool_gradient("cuda::average_pool_gradient", stream, AverageGradient(), shape, of_y, of_x, of_x);
}

}  // namespace carrack::train::cuda
