#include "trainer/kernels/convolution.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "trainer/kernels/cpu/matrix_blocks.h"
#include "trainer/kernels/matrix.h"
#include "trainer/kernels/rounding.h"
#include "trainer/kernels/thread_pool.h"

namespace carrack::train::cpu {
namespace {

// Memory of a thread for patches and for sums of lanes. A patch is the elements of an image that one window covers. The
// memory is valid until the thread makes another Scratch.
struct Scratch {
  explicit Scratch(const ConvolutionShape& shape) {
    thread_local Workspace workspace;
    patches = workspace.floats(static_cast<std::int64_t>(convolution_thread_bytes(shape) / sizeof(float)));
    sums = patches + std::max(convolution_patch_floats, shape.patch_size());
  }

  float *patches, *sums;
};

std::int64_t multiply_adds(const ConvolutionShape& shape) {
  return shape.rows * shape.pixels() * shape.patch_size() * shape.filters;
}

// `count` elements of a patch, from index `begin` on, that are neighbours in the image, too, from index `source` on. So
// they can be copied at once. A negative `source` means that they are padding, which is zeros.
struct Run {
  std::int64_t begin, count, source;
};

// Copies the patches of one group of channels from images, or adds them to images. Only the elements `part` of each
// patch are copied or added.
class Patches {
 public:
  Patches(const ConvolutionShape& shape, std::int64_t group, Range part)
      : shape_(shape), group_(group), part_(part), is_joined_(shape.groups == 1 && shape.width.dilation == 1) {}

  // Copies the patch of each output pixel in `pixels` to `patches`. Pixels are numbered over all rows of the batch.
  void read(const float* x, Range pixels, float* patches) const {
    for_each_run(pixels, [&](std::int64_t pixel, Run run) {
      float* const to = patches + (pixel - pixels.begin) * part_.size() + run.begin;
      if (run.source < 0) {
        std::fill_n(to, run.count, 0.0f);
      } else {
        std::copy_n(x + run.source, run.count, to);
      }
    });
  }

  // Adds the patches to the elements of the images from which read() copies them.
  void add_to(float* x, Range pixels, const float* patches) const {
    for_each_run(pixels, [&](std::int64_t pixel, Run run) {
      if (run.source < 0) return;
      const float* const from = patches + (pixel - pixels.begin) * part_.size() + run.begin;
      float* const to = x + run.source;
      for (std::int64_t i = 0; i < run.count; ++i) to[i] += from[i];
    });
  }

 private:
  // Calls function(pixel, run) for all runs of all pixels, by line of the output, then by line of the windows, and then
  // by pixel. So add_to() adds to each element of an image in ascending order of output pixels, as the GPU does.
  template <class Function>
  void for_each_run(Range pixels, const Function& function) const {
    for (std::int64_t first = pixels.begin; first < pixels.end;) {
      const std::int64_t row = first / shape_.pixels(), place = first % shape_.pixels();
      const std::int64_t i = place / shape_.width.output, j = place % shape_.width.output;
      const std::int64_t count = std::min(shape_.width.output - j, pixels.end - first);
      for_each_run_of_line(row, i, {j, j + count}, first - j, function);
      first += count;
    }
  }

  // Does the same for the pixels `columns` of line i in the output of one row. Column 0 of the line is the pixel with
  // the number `line_begin`.
  template <class Function>
  void for_each_run_of_line(std::int64_t row, std::int64_t i, Range columns, std::int64_t line_begin,
                            const Function& function) const {
    const std::int64_t line = shape_.width.size * shape_.group_channels();
    for (std::int64_t tap = part_.begin / line; tap * line < part_.end; ++tap) {
      const std::int64_t y = shape_.height.at(i, tap), begin = tap * line;
      const std::int64_t start = (row * shape_.height.input + y) * shape_.width.input;
      for (std::int64_t j = columns.begin; j < columns.end; ++j) {
        const auto emit = [&](std::int64_t run_begin, std::int64_t run_end, std::int64_t source) {
          const Range run{std::max(run_begin, part_.begin), std::min(run_end, part_.end)};
          if (run.begin >= run.end) return;
          function(line_begin + j,
                   Run{run.begin - part_.begin, run.size(), source < 0 ? -1 : source + run.begin - run_begin});
        };
        if (shape_.height.is_inside(y)) {
          runs_of_window_line(begin, start, j, emit);
        } else {
          emit(begin, begin + line, -1);
        }
      }
    }
  }

  // Emits the runs of one line of a window. `begin` is the index in the patch where the line begins; `start` is the
  // number, over all images, of the first pixel of the image's line.
  template <class Emit>
  void runs_of_window_line(std::int64_t begin, std::int64_t start, std::int64_t j, const Emit& emit) const {
    const WindowAxis& axis = shape_.width;
    const std::int64_t channels = shape_.group_channels();
    const auto source = [&](std::int64_t tap) {
      return (start + axis.at(j, tap)) * shape_.channels + group_ * channels;
    };
    if (is_joined_) {
      const std::int64_t left = axis.at(j, 0);
      if (left >= 0 && left + axis.size <= axis.input) return emit(begin, begin + axis.size * channels, source(0));
      const std::int64_t first = std::clamp<std::int64_t>(-left, 0, axis.size);
      const std::int64_t last = std::clamp<std::int64_t>(axis.input - left, first, axis.size);
      emit(begin, begin + first * channels, -1);
      emit(begin + first * channels, begin + last * channels, first < last ? source(first) : -1);
      emit(begin + last * channels, begin + axis.size * channels, -1);
      return;
    }
    for (std::int64_t tap = 0; tap < axis.size; ++tap) {
      emit(begin + tap * channels, begin + (tap + 1) * channels, axis.is_inside(axis.at(j, tap)) ? source(tap) : -1);
    }
  }

  const ConvolutionShape& shape_;
  std::int64_t group_;
  Range part_;
  bool is_joined_;  // whether neighbouring elements of a line of a patch are neighbours in the image
};

// Cuts `all`, a range of pixels, into pieces whose patches, of `width` elements each, fit into Scratch. Calls
// function(piece) for each.
template <class Function>
void for_each_piece(Range all, std::int64_t width, const Function& function) {
  const std::int64_t most = std::max<std::int64_t>(1, convolution_patch_floats / width);
  for (std::int64_t begin = all.begin; begin < all.end; begin += most) {
    function(Range{begin, std::min(begin + most, all.end)});
  }
}

void multiply(const Product& product) {
  multiply(kernels_of(fastest_level()), product);
}

// Computes the output pixels `pixels`. For each group, copies the patches and multiplies them by the weights.
void convolve(const ConvolutionShape& shape, const float* x, const float* weights, float* y, Range pixels) {
  const Scratch scratch(shape);
  const std::int64_t size = shape.patch_size(), filters = shape.group_filters();
  for_each_piece(pixels, size, [&](Range piece) {
    for (std::int64_t group = 0; group < shape.groups; ++group) {
      Patches(shape, group, {0, size}).read(x, piece, scratch.patches);
      multiply({.m = piece.size(),
                .n = filters,
                .k = size,
                .a = {scratch.patches, size, 1},
                .b = {weights + group * filters, shape.filters, 1},
                .c = y + piece.begin * shape.filters + group * filters,
                .c_row = shape.filters,
                .accumulate = false,
                .lane_ends = {}});
    }
  });
}

// Computes the gradient of the images `rows`. The product of the output's gradient and the weights is the gradients of
// patches, which are added to those of the images.
void gradient_of_rows(const ConvolutionShape& shape, const float* of_y, const float* weights, float* of_x, Range rows) {
  const Scratch scratch(shape);
  const std::int64_t size = shape.patch_size(), filters = shape.group_filters();
  const std::int64_t row_size = shape.height.input * shape.width.input * shape.channels;
  std::fill_n(of_x + rows.begin * row_size, rows.size() * row_size, 0.0f);
  for_each_piece({rows.begin * shape.pixels(), rows.end * shape.pixels()}, size, [&](Range piece) {
    for (std::int64_t group = 0; group < shape.groups; ++group) {
      multiply({.m = piece.size(),
                .n = size,
                .k = filters,
                .a = {of_y + piece.begin * shape.filters + group * filters, shape.filters, 1},
                .b = {weights + group * filters, 1, shape.filters},
                .c = scratch.patches,
                .c_row = size,
                .accumulate = false,
                .lane_ends = {}});
      Patches(shape, group, {0, size}).add_to(of_x, piece, scratch.patches);
    }
  });
}

// Computes the gradient of the weights for the elements `part` of a group's patches: a matrix [part, filters of the
// group].
class WeightGradient {
 public:
  WeightGradient(const ConvolutionShape& shape, const float* of_y, const float* x, std::int64_t group, Range part)
      : shape_(shape), of_y_(of_y), x_(x), group_(group), part_(part), scratch_(shape) {}

  void compute(const LaneEnds& lane_ends, float* of_weights) {
    const std::int64_t filters = shape_.group_filters(), size = part_.size() * filters;
    const std::size_t lanes = std::max<std::size_t>(lane_ends.size(), 1);
    std::int64_t begin = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::int64_t end = lane_ends.empty() ? shape_.rows : lane_ends[lane];
      // The sums of lanes are added along a fixed binary tree (lanes.h). scratch_.sums has the sums of complete
      // subtrees that wait for their siblings, the largest subtree first.
      float* sum = scratch_.sums + std::popcount(lane) * size;
      add_up({begin * shape_.pixels(), end * shape_.pixels()}, sum);
      for (int join = std::countr_one(lane); join > 0; --join, sum -= size) {
        for (std::int64_t i = 0; i < size; ++i) sum[i - size] += sum[i];
      }
      begin = end;
    }
    for (std::int64_t i = 0; i < part_.size(); ++i) {
      std::copy_n(scratch_.sums + i * filters, filters,
                  of_weights + (part_.begin + i) * shape_.filters + group_ * filters);
    }
  }

 private:
  // Writes the gradient over `pixels`, those of one lane, to `sum`.
  void add_up(Range pixels, float* sum) {
    const std::int64_t filters = shape_.group_filters();
    if (pixels.size() == 0) std::fill_n(sum, part_.size() * filters, 0.0f);
    for_each_piece(pixels, part_.size(), [&](Range piece) {
      Patches(shape_, group_, part_).read(x_, piece, scratch_.patches);
      multiply({.m = part_.size(),
                .n = filters,
                .k = piece.size(),
                .a = {scratch_.patches, 1, part_.size()},
                .b = {of_y_ + piece.begin * shape_.filters + group_ * filters, shape_.filters, 1},
                .c = sum,
                .c_row = filters,
                .accumulate = piece.begin > pixels.begin,
                .lane_ends = {}});
    });
  }

  const ConvolutionShape& shape_;
  const float *of_y_, *x_;
  std::int64_t group_;
  Range part_;
  Scratch scratch_;
};

}  // namespace

void convolution(const ConvolutionShape& shape, const float* x, const float* weights, float* y, ThreadPool* threads) {
  const std::int64_t pixels = shape.rows * shape.pixels();
  if (shape.is_product()) {
    return gemm({.m = pixels, .n = shape.filters, .k = shape.channels}, x, weights, y, {.threads = threads});
  }
  parallel_for(threads, pixels, multiply_adds(shape), [&](Range part) { convolve(shape, x, weights, y, part); });
}

void convolution_input_gradient(const ConvolutionShape& shape, const float* of_y, const float* weights, float* of_x,
                                ThreadPool* threads) {
  if (shape.is_product()) {
    return gemm({.transpose_b = true, .m = shape.rows * shape.pixels(), .n = shape.channels, .k = shape.filters}, of_y,
                weights, of_x, {.threads = threads});
  }
  parallel_for(threads, shape.rows, multiply_adds(shape),
               [&](Range rows) { gradient_of_rows(shape, of_y, weights, of_x, rows); });
}

void convolution_weight_gradient(const ConvolutionShape& shape, const float* of_y, const float* x, float* of_weights,
                                 const LaneEnds& lane_ends, ThreadPool* threads) {
  lane_ends.require(shape.rows);
  if (shape.is_product()) {
    return gemm({.transpose_a = true, .m = shape.channels, .n = shape.filters, .k = shape.rows * shape.pixels()}, x,
                of_y, of_weights, {.lane_ends = lane_ends.times(shape.pixels()), .threads = threads});
  }
  const std::int64_t size = shape.patch_size();
  const std::int64_t sums = std::bit_width(std::max<std::size_t>(lane_ends.size(), 1));
  const std::int64_t fit = std::clamp<std::int64_t>(convolution_sum_floats / (sums * shape.group_filters()), 1, size);
  // Each task computes the gradient for a part of the elements of a patch. There are as few parts as let the sums of a
  // part fit into the memory. Their number is rounded up to a multiple of the number of threads, so that all threads
  // get equally many. But no part is empty.
  const std::int64_t least = threads == nullptr ? 1 : std::min<std::int64_t>(threads->threads(), size);
  const std::int64_t parts = rounded_up(std::max(divided_up(size, fit), least), least);
  const std::int64_t count = std::min(parts, size);
  parallel_for(threads, shape.groups * count, multiply_adds(shape), [&](Range tasks) {
    for (std::int64_t task = tasks.begin; task < tasks.end; ++task) {
      WeightGradient(shape, of_y, x, task / count, equal_part(size, count, task % count))
          .compute(lane_ends, of_weights);
    }
  });
}

}  // namespace carrack::train::cpu
