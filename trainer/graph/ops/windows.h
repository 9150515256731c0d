// Where the windows of a convolution or of pooling lie in the images. Used by shape inference (convolution.cc,
// pooling.cc), which reads the size of the output from it, by the executor when it prepares the kernel, and by the
// reference evaluator (trainer/reference).
#pragma once

#include <cstdint>
#include <variant>

#include "trainer/graph/operator.h"
#include "trainer/kernels/window.h"

namespace carrack::train {

struct Windows {
  WindowAxis height, width;  // `output` is the number of windows along the axis, and so the size of the output image
};

// For convolutions: returns windows of `height` x `width` pixels over images [rows, height, width, channels]. For
// example, 3 x 3 windows without padding over images of 28 x 28 pixels have an output of 26 x 26. Reads the attributes
// `strides` and `dilations`, each for height and width and by default 1, and `pads`, by default 0: top, left, bottom,
// right. Returns a Misfit if `images` has another shape, if an attribute is not valid, or if no window fits into the
// images with their padding.
std::variant<Windows, Misfit> windows_over(const Dimensions& images, std::int64_t height, std::int64_t width,
                                           const Attributes& attributes);

// For pooling: the same, with the height and width from the attribute `kernel_shape`. Returns a Misfit as
// windows_over() does, and also if kernel_shape is missing or not valid, or a pad is not smaller than a window.
std::variant<Windows, Misfit> pooling_windows(const Dimensions& images, const Attributes& attributes);

}  // namespace carrack::train
