#include "trainer/kernels/convolution.h"

#include "trainer/kernels/cuda/products.cuh"
#include "trainer/kernels/matrix.h"

// Each group is a matrix product of its own. Operands (products.cuh) are read from the images and weights where they
// are, so no patches are copied.
namespace carrack::train::cuda {
namespace {

// The images that windows read.
struct Images {
  ConvolutionShape shape;
  const float* x;

  // Returns the first channel of a group at pixel (i, j) of a row, or null if the pixel is padding.
  __device__ const float* at(std::int64_t row, std::int64_t i, std::int64_t j, std::int64_t group) const {
    const WindowAxis &height = shape.height, &width = shape.width;
    if (!height.is_inside(i) || !width.is_inside(j)) return nullptr;
    return x + ((row * height.input + i) * width.input + j) * shape.channels + group * shape.group_channels();
  }
};

// The row of the batch and the pixel of the image where a window begins. It may be in padding, with a negative i or j.
struct Corner {
  std::int64_t row, i, j;
};

__device__ Corner corner_of(const ConvolutionShape& shape, std::int64_t pixel) {
  const std::int64_t place = pixel % shape.pixels();
  return {pixel / shape.pixels(), shape.height.at(place / shape.width.output, 0),
          shape.width.at(place % shape.width.output, 0)};
}

// An element of a patch: the offset of its pixel from the corner of the window, and the channel in the group.
struct Tap {
  std::int64_t i, j, channel;
};

__device__ Tap tap_of(const ConvolutionShape& shape, std::int64_t element) {
  const std::int64_t tap = element / shape.group_channels();
  return {tap / shape.width.size * shape.height.dilation, tap % shape.width.size * shape.width.dilation,
          element % shape.group_channels()};
}

__device__ float element_of(const Images& images, std::int64_t group, const Corner& corner, const Tap& tap) {
  const float* const pixel = images.at(corner.row, corner.i + tap.i, corner.j + tap.j, group);
  return pixel == nullptr ? 0.0f : pixel[tap.channel];
}

// An operand of a product (products.cuh). Its places, the rows of the left matrix, are patches. Its steps, over which
// the product sums, are the elements of a patch.
struct Patches {
  struct Line {
    std::int64_t group;
    Corner corner;
  };

  Images images;

  __device__ bool is_along_steps() const { return true; }
  __device__ Line line(std::int64_t group, std::int64_t pixel) const { return {group, corner_of(images.shape, pixel)}; }
  __device__ float operator()(const Line& line, std::int64_t element) const {
    return element_of(images, line.group, line.corner, tap_of(images.shape, element));
  }
};

// An operand of a product (products.cuh). Its places, the rows of the left matrix, are the elements of a patch. Its
// steps, over which the product sums, are patches.
struct TransposedPatches {
  struct Line {
    std::int64_t group;
    Tap tap;
  };

  Images images;

  __device__ bool is_along_steps() const { return false; }
  __device__ Line line(std::int64_t group, std::int64_t element) const {
    return {group, tap_of(images.shape, element)};
  }
  __device__ float operator()(const Line& line, std::int64_t pixel) const {
    return element_of(images, line.group, corner_of(images.shape, pixel), line.tap);
  }
};

// An operand of a product (products.cuh). Its places, the rows of the left matrix, are pixels of the images. Its steps,
// over which the product sums, are the filters of a group. An element is the gradient of the output pixel that reads
// the image's pixel as the tap (tap_i, tap_j) of its window. There is at most one such output pixel; without one the
// elements are 0.
struct Outputs {
  using Line = const float*;  // null if there is no such output pixel

  const ConvolutionShape& shape;
  const float* of_y;
  std::int64_t tap_i, tap_j;

  // Returns the output position, along one axis, that reads `pixel` as the tap `tap` of its window; -1 if there is
  // none.
  __device__ static std::int64_t along(const WindowAxis& axis, std::int64_t pixel, std::int64_t tap) {
    const std::int64_t offset = pixel + axis.pad - tap * axis.dilation;
    if (offset < 0 || offset % axis.stride != 0) return -1;
    return offset / axis.stride < axis.output ? offset / axis.stride : -1;
  }
  __device__ bool is_along_steps() const { return true; }
  __device__ Line line(std::int64_t group, std::int64_t pixel) const {
    const std::int64_t size = shape.height.input * shape.width.input, place = pixel % size;
    const std::int64_t i = along(shape.height, place / shape.width.input, tap_i);
    const std::int64_t j = along(shape.width, place % shape.width.input, tap_j);
    if (i < 0 || j < 0) return nullptr;
    const std::int64_t output = pixel / size * shape.pixels() + i * shape.width.output + j;
    return of_y + output * shape.filters + group * shape.group_filters();
  }
  __device__ float operator()(Line line, std::int64_t filter) const { return line == nullptr ? 0.0f : line[filter]; }
};

// Each output pixel adds a chain (a sum in a fixed order) over its filters to the pixels that its window reads. The
// loop over taps is in descending order: each pixel then gets the chains of its outputs in ascending order, as on the
// CPU.
template <int side>
__global__ void input_gradient_kernel(ConvolutionShape shape, ProductSize size, const float* of_y, const float* weights,
                                      float* of_x) {
  for_each_tile<side, side>(size, [&](const Tile& tile) {
    Sums<side, side> sums;
    for (std::int64_t tap = shape.height.size * shape.width.size - 1; tap >= 0; --tap) {
      const Outputs outputs{shape, of_y, tap / shape.width.size, tap % shape.width.size};
      const Matrix of_tap{weights + tap * shape.group_channels() * shape.filters, shape.filters, 1,
                          shape.group_filters()};
      Sums<side, side> chains;
      add_products(tile, {0, shape.group_filters()}, outputs, of_tap, chains);
      // If no output reads the pixel, the loop sets the chain to 0, because a NaN in the weights would make it NaN (0
      // times NaN). Adding 0 changes no bit of a sum, because a sum that begins with 0 is never -0.
      chains.for_each(tile, [&](std::int64_t pixel, std::int64_t, float& chain) {
        if (outputs.line(tile.product, pixel) == nullptr) chain = 0;
      });
      sums = sums + chains;
    }
    sums.for_each(tile, [&](std::int64_t pixel, std::int64_t channel, float sum) {
      of_x[pixel * shape.channels + tile.product * shape.group_channels() + channel] = sum;
    });
  });
}

}  // namespace

void convolution(Stream& stream, const ConvolutionShape& shape, const float* x, const float* weights, float* y) {
  const std::int64_t pixels = shape.rows * shape.pixels();
  if (shape.is_product()) return gemm(stream, {.m = pixels, .n = shape.filters, .k = shape.channels}, x, weights, y);
  multiply("cuda::convolution", stream,
           Product<Patches, Matrix>{.size = {shape.groups, pixels, shape.group_filters()},
                                    .steps = shape.patch_size(),
                                    .a = {{shape, x}},
                                    .b = {weights, 1, shape.filters, shape.group_filters()},
                                    .c = {y, shape.filters, shape.group_filters()}});
}

void convolution_input_gradient(Stream& stream, const ConvolutionShape& shape, const float* of_y, const float* weights,
                                float* of_x) {
  if (shape.is_product()) {
    return gemm(stream,
                {.transpose_b = true, .m = shape.rows * shape.pixels(), .n = shape.channels, .k = shape.filters}, of_y,
                weights, of_x);
  }
  constexpr int side = 2;
  const ProductSize size{shape.groups, shape.rows * shape.height.input * shape.width.input, shape.group_channels()};
  const std::int64_t tiles = count_tiles<side, side>(size);
  if (tiles == 0) return;
  launch("cuda::convolution_input_gradient", stream.handle(), launch_for_tiles(tiles), input_gradient_kernel<side>,
         shape, size, of_y, weights, of_x);
}

void convolution_weight_gradient(Stream& stream, const ConvolutionShape& shape, const float* of_y, const float* x,
                                 float* of_weights, const LaneEnds& lane_ends) {
  const std::int64_t pixels = shape.rows * shape.pixels();
  if (shape.is_product()) {
    return gemm(stream, {.transpose_a = true, .m = shape.channels, .n = shape.filters, .k = pixels}, x, of_y,
                of_weights, {.accumulate = false, .lane_ends = lane_ends.times(shape.pixels())});
  }
  multiply("cuda::convolution_weight_gradient", stream,
           Product<TransposedPatches, Matrix>{.size = {shape.groups, shape.patch_size(), shape.group_filters()},
                                              .steps = pixels,
                                              .a = {{shape, x}},
                                              .b = {of_y, 1, shape.filters, shape.group_filters()},
                                              .c = {of_weights, shape.filters, shape.group_filters()}},
           lane_ends.times(shape.pixels()));
}

}  // namespace carrack::train::cuda
