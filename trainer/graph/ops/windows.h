// Sizes of windows over images, for the operator table and for kernels.
#pragma once

#include <cstdint>
#include <variant>

#include "trainer/graph/operator.h"
#include "trainer/kernels/window.h"

namespace carrack::train {

struct Windows {
  WindowAxis height, width;
};

// Returns windows of `height` x `width` pixels over images [rows, height, width, channels]. Reads the attributes
// `strides` and `dilations`, each for height and width and by default 1, and `pads`, by default 0: top, left, bottom,
// right. Returns a Misfit if `images` has another shape, if an attribute is not valid, or if no window fits into the
// images with their padding.
std::variant<Windows, Misfit> windows_over(const Dimensions& images, std::int64_t height, std::int64_t width,
                                           const Attributes& attributes);

// Returns windows whose height and width are the attribute `kernel_shape`. Returns a Misfit as windows_over() does, and
// also if kernel_shape is missing, or if a pad is as large as a window. So each window contains a pixel of the image.
std::variant<Windows, Misfit> pooling_windows(const Dimensions& images, const Attributes& attributes);

}  // namespace carrack::train
