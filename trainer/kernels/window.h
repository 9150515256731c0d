// WindowAxis: where the windows of a convolution or of pooling lie along one axis of an image. Kernels have one for the
// height and one for the width; windows_over() (graph/ops/windows.h) makes them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "trainer/kernels/range.h"

namespace carrack::train {

// Output pixel i is computed from the input pixels at(i, 0), at(i, 1), ... at(i, size - 1), which are its window.
// Pixels outside of the input are padding. With size 3, stride 2 and pad 1, output pixel 0 reads the pixels -1, 0 and
// 1, and output pixel 1 reads 1, 2 and 3.
struct WindowAxis {
  std::int64_t input = 1;     // number of pixels of the input along the axis
  std::int64_t output = 1;    // number of pixels of the output
  std::int64_t size = 1;      // number of pixels that a window reads
  std::int64_t stride = 1;    // distance in the input between windows of neighbouring output pixels
  std::int64_t dilation = 1;  // distance of neighbouring pixels of a window
  std::int64_t pad = 0;       // pixels of padding before the first pixel of the input

  // Returns the input pixel number `tap` of the window of output pixel `pixel`. It is below 0, or `input` or more, in
  // padding.
  constexpr std::int64_t at(std::int64_t pixel, std::int64_t tap) const {
    return pixel * stride + tap * dilation - pad;
  }
  // Whether input pixel `pixel` is not padding.
  constexpr bool is_inside(std::int64_t pixel) const { return pixel >= 0 && pixel < input; }
  // Returns the input pixels of the window of output pixel `pixel`, without padding. Only for dilation 1 and windows
  // that contain a pixel of the input, which is not checked.
  constexpr Range pixels_of(std::int64_t pixel) const {
    const std::int64_t begin = at(pixel, 0);
    return {std::max<std::int64_t>(begin, 0), std::min(begin + size, input)};
  }
};

}  // namespace carrack::train
