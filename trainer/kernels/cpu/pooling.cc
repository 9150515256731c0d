#include "trainer/kernels/pooling.h"

#include <algorithm>

#include "trainer/kernels/elementwise.h"
#include "trainer/kernels/range.h"
#include "trainer/kernels/thread_pool.h"

namespace carrack::train::cpu {
namespace {

constexpr std::int64_t block_size = 64;  // maximum number of channels at the same time; their values are on the stack

// The pixels of a window that are in the image, without padding. Lines are numbered over the images of all rows.
struct Window {
  Range lines, columns;
  std::int64_t width;  // of the image

  std::int64_t first() const { return lines.begin * width + columns.begin; }
  std::int64_t count() const { return lines.size() * columns.size(); }

  template <class Function>
  void for_each_pixel(const Function& function) const {
    for (std::int64_t line = lines.begin; line < lines.end; ++line) {
      for (std::int64_t column = columns.begin; column < columns.end; ++column) function(line * width + column);
    }
  }
};

// Calls function(pixel, window) for each output pixel in `pixels`. Pixels are numbered over all rows of the batch.
template <class Function>
void for_each_window(const PoolingShape& shape, Range pixels, const Function& function) {
  for (std::int64_t pixel = pixels.begin; pixel < pixels.end; ++pixel) {
    const std::int64_t place = pixel % shape.pixels(), above = pixel / shape.pixels() * shape.height.input;
    const Range lines = shape.height.pixels_of(place / shape.width.output);
    function(pixel, Window{.lines = {above + lines.begin, above + lines.end},
                           .columns = shape.width.pixels_of(place % shape.width.output),
                           .width = shape.width.input});
  }
}

// Calls function(range) for blocks of at most block_size channels.
template <class Function>
void for_each_block(std::int64_t channels, const Function& function) {
  for (std::int64_t begin = 0; begin < channels; begin += block_size) {
    function(Range{begin, std::min(begin + block_size, channels)});
  }
}

void raise_to(const float* x, std::int64_t count, float* best) {
  for (std::int64_t i = 0; i < count; ++i) best[i] = is_above(x[i], best[i]) ? x[i] : best[i];
}

std::int64_t values_read(const PoolingShape& shape) {
  return shape.rows * shape.pixels() * shape.height.size * shape.width.size * shape.channels;
}

// Sets `of_x` to 0, then calls function(pixel, window) for all windows. One thread calls it for all windows of a row,
// in order. So windows that overlap add their gradients without a race, and always in the same order.
template <class Function>
void for_each_window_of_rows(const PoolingShape& shape, float* of_x, ThreadPool* threads, const Function& function) {
  const std::int64_t row_size = shape.height.input * shape.width.input * shape.channels;
  parallel_for(threads, shape.rows, values_read(shape), [&](Range rows) {
    std::fill_n(of_x + rows.begin * row_size, rows.size() * row_size, 0.0f);
    for_each_window(shape, {rows.begin * shape.pixels(), rows.end * shape.pixels()}, function);
  });
}

}  // namespace

void max_pool(const PoolingShape& shape, const float* x, float* y, ThreadPool* threads) {
  const std::int64_t channels = shape.channels;
  parallel_for(threads, shape.rows * shape.pixels(), values_read(shape), [&](Range part) {
    for_each_window(shape, part, [&](std::int64_t pixel, const Window& window) {
      float* const best = y + pixel * channels;
      std::copy_n(x + window.first() * channels, channels, best);
      window.for_each_pixel([&](std::int64_t from) { raise_to(x + from * channels, channels, best); });
    });
  });
}

void max_pool_gradient(const PoolingShape& shape, const float* of_y, const float* x, float* of_x, ThreadPool* threads) {
  const std::int64_t channels = shape.channels;
  for_each_window_of_rows(shape, of_x, threads, [&](std::int64_t pixel, const Window& window) {
    for_each_block(channels, [&](Range block) {
      // `left` is the gradient of the maximum, until the first pixel with this value gets it; then 0.
      float best[block_size], left[block_size];
      std::copy_n(x + window.first() * channels + block.begin, block.size(), best);
      window.for_each_pixel(
          [&](std::int64_t from) { raise_to(x + from * channels + block.begin, block.size(), best); });
      std::copy_n(of_y + pixel * channels + block.begin, block.size(), left);
      window.for_each_pixel([&](std::int64_t to) {
        const float* const values = x + to * channels + block.begin;
        float* const sums = of_x + to * channels + block.begin;
        for (std::int64_t i = 0; i < block.size(); ++i) {
          const bool is_best = is_same(values[i], best[i]);
          sums[i] += is_best ? left[i] : 0;
          left[i] = is_best ? 0 : left[i];
        }
      });
    });
  });
}

void average_pool(const PoolingShape& shape, const float* x, float* y, ThreadPool* threads) {
  const std::int64_t channels = shape.channels;
  parallel_for(threads, shape.rows * shape.pixels(), values_read(shape), [&](Range part) {
    for_each_window(shape, part, [&](std::int64_t pixel, const Window& window) {
      const auto count = static_cast<double>(window.count());
      for_each_block(channels, [&](Range block) {
        double sums[block_size] = {};
        window.for_each_pixel([&](std::int64_t from) {
          const float* const values = x + from * channels + block.begin;
          for (std::int64_t i = 0; i < block.size(); ++i) sums[i] += static_cast<double>(values[i]);
        });
        float* const means = y + pixel * channels + block.begin;
        for (std::int64_t i = 0; i < block.size(); ++i) means[i] = static_cast<float>(sums[i] / count);
      });
    });
  });
}

void average_pool_gradient(const PoolingShape& shape, const float* of_y, float* of_x, ThreadPool* threads) {
  const std::int64_t channels = shape.channels;
  for_each_window_of_rows(shape, of_x, threads, [&](std::int64_t pixel, const Window& window) {
    const auto count = static_cast<float>(window.count());
    for_each_block(channels, [&](Range block) {
      float shares[block_size];
      for (std::int64_t i = 0; i < block.size(); ++i) shares[i] = of_y[pixel * channels + block.begin + i] / count;
      window.for_each_pixel([&](std::int64_t to) {
        float* const sums = of_x + to * channels + block.begin;
        for (std::int64_t i = 0; i < block.size(); ++i) sums[i] += shares[i];
      });
    });
  });
}

}  // namespace carrack::train::cpu
