#include "trainer/graph/ops/windows.h"

#include <algorithm>
#include <string>
#include <vector>

namespace carrack::train {
namespace {

using Numbers = std::vector<std::int64_t>;

bool are_at_least(std::int64_t least, const Numbers& numbers, std::size_t count) {
  return numbers.size() == count && std::ranges::all_of(numbers, [&](std::int64_t one) { return one >= least; });
}

std::string text_of(std::int64_t height, std::int64_t width) {
  return std::to_string(height) + " x " + std::to_string(width);
}

}  // namespace

std::variant<Windows, Misfit> windows_over(const Dimensions& images, std::int64_t height, std::int64_t width,
                                           const Attributes& attributes) {
  if (images.size() != 4 || images[0] != batch_rows || images[1].of_rows || images[2].of_rows || images[3].of_rows) {
    return Misfit{"needs images [rows, height, width, channels]"};
  }
  const auto strides = attributes.get_or<Numbers>("strides", {1, 1}),
             dilations = attributes.get_or<Numbers>("dilations", {1, 1}),
             pads = attributes.get_or<Numbers>("pads", {0, 0, 0, 0});
  if (!are_at_least(1, strides, 2) || !are_at_least(1, dilations, 2)) {
    return Misfit{"needs two strides and two dilations of at least 1"};
  }
  if (!are_at_least(0, pads, 4)) return Misfit{"needs four pads of at least 0"};
  // For height and width: the size of an image with its padding, and the number of pixels from the first to the last
  // one of a window.
  std::int64_t padded[2], reached[2];
  const auto axis = [&](std::size_t i, std::int64_t size) {
    padded[i] = images[i + 1].count + pads[i] + pads[i + 2];
    reached[i] = (size - 1) * dilations[i] + 1;
    return WindowAxis{.input = images[i + 1].count,
                      .output = padded[i] < reached[i] ? 0 : (padded[i] - reached[i]) / strides[i] + 1,
                      .size = size,
                      .stride = strides[i],
                      .dilation = dilations[i],
                      .pad = pads[i]};
  };
  const Windows windows{axis(0, height), axis(1, width)};
  if (windows.height.output == 0 || windows.width.output == 0) {
    return Misfit{"leaves no pixel: windows reach over " + text_of(reached[0], reached[1]) +
                  " pixels, and images with their padding have " + text_of(padded[0], padded[1])};
  }
  return windows;
}

std::variant<Windows, Misfit> pooling_windows(const Dimensions& images, const Attributes& attributes) {
  const auto size = attributes.get_or<Numbers>("kernel_shape", {});
  if (!are_at_least(1, size, 2)) return Misfit{"needs windows of two sizes of at least 1"};
  auto found = windows_over(images, size[0], size[1], attributes);
  const auto pads = attributes.get_or<Numbers>("pads", {0, 0, 0, 0});
  // With a pad as large as a window, the first or last window would have no pixel of the image.
  for (std::size_t i = 0; std::holds_alternative<Windows>(found) && i < pads.size(); ++i) {
    if (pads[i] >= size[i % 2]) return Misfit{"needs pads below the size of windows, " + text_of(size[0], size[1])};
  }
  return found;
}

}  // namespace carrack::train
