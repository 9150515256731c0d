// Windows over images, for the operator table and for kernels. Pure.
#pragma once

#include <cstdint>
#include <variant>

#include "trainer/graph/operator.h"
#include "trainer/kernels/window.h"

namespace carrack::train {

struct Windows {
  WindowAxis height, width;
};

// Windows of `height` x `width` pixels over images [rows, height, width, channels], by the attributes `strides` and
// `dilations`, 1 by default, and `pads`, 0 by default: top, left, bottom, right.
std::variant<Windows, Misfit> windows_over(const Dimensions& images, std::int64_t height, std::int64_t width,
                                           const Attributes& attributes);

// The same by the attribute `kernel_shape`, height and width, which must be there. In each window there is a pixel of
// the image.
std::variant<Windows, Misfit> pooling_windows(const Dimensions& images, const Attributes& attributes);

}  // namespace carrack::train
