#include "trainer/graph/ops/windows.h"
#include "trainer/reference/functions.h"

namespace carrack::train::reference {
namespace {

// One product of the convolution: the indices of its factors in X and W, and of the element of Y to which it is added.
struct Term {
  std::size_t x, weight, y;
};

// Calls function(term) for each product of a convolution with these shapes and the node's attributes.
template <class Function>
void for_each_term(const Call& call, const Dimensions& images, const Dimensions& weights, const Function& function) {
  const auto windows =
      std::get<Windows>(windows_over(images, weights[0].count, weights[1].count, call.node.attributes));
  const WindowAxis &height = windows.height, &width = windows.width;
  const std::int64_t channels = images[3].count, group_channels = weights[2].count, filters = weights[3].count;
  const std::int64_t group_filters = filters / (channels / group_channels);
  const auto at = [](std::int64_t row, std::int64_t i, std::int64_t j, std::int64_t lines, std::int64_t columns) {
    return (row * lines + i) * columns + j;
  };
  // Visits the products of input pixel `from` that are added to output pixel `to`. `tap` numbers pixels of the window.
  const auto terms_of_pixels = [&](std::int64_t from, std::int64_t to, std::int64_t tap) {
    for (std::int64_t filter = 0; filter < filters; ++filter) {
      for (std::int64_t k = 0; k < group_channels; ++k) {
        const std::int64_t channel = filter / group_filters * group_channels + k;
        function(Term{static_cast<std::size_t>(from * channels + channel),
                      static_cast<std::size_t>((tap * group_channels + k) * filters + filter),
                      static_cast<std::size_t>(to * filters + filter)});
      }
    }
  };
  for (std::int64_t pixel = 0; pixel < call.rows * height.output * width.output; ++pixel) {
    const std::int64_t row = pixel / (height.output * width.output), i = pixel / width.output % height.output,
                       j = pixel % width.output;
    for (std::int64_t tap = 0; tap < height.size * width.size; ++tap) {
      const std::int64_t y = height.at(i, tap / width.size), x = width.at(j, tap % width.size);
      if (height.is_inside(y) && width.is_inside(x)) {
        terms_of_pixels(at(row, y, x, height.input, width.input), pixel, tap);
      }
    }
  }
}

void convolution(const Call& call) {
  for_each_term(call, call.input_values[0]->shape, call.input_values[1]->shape,
                [&](const Term& term) { call.out()[term.y] += call.in(0)[term.x] * call.in(1)[term.weight]; });
}

void input_gradient(const Call& call) {
  for_each_term(call, call.output_values[0]->shape, call.input_values[1]->shape,
                [&](const Term& term) { call.out()[term.x] += call.in(0)[term.y] * call.in(1)[term.weight]; });
}

void weight_gradient(const Call& call) {
  for_each_term(call, call.input_values[1]->shape, call.output_values[0]->shape,
                [&](const Term& term) { call.out()[term.weight] += call.in(0)[term.y] * call.in(1)[term.x]; });
}

constexpr Function functions[] = {
    {"Conv", convolution},
    {"ConvInputGradient", input_gradient},
    {"ConvWeightGradient", weight_gradient},
};

}  // namespace

std::span<const Function> convolution_functions() {
  return functions;
}

}  // namespace carrack::train::reference
