#include "trainer/models/image_layers.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace carrack::train {
namespace {

// A setting of a layer along the height and along the width of an image, such as strides. If the field in the manifest
// has only one number, it is used for both.
struct HeightAndWidth {
  HeightAndWidth(std::int64_t of_height, std::int64_t of_width) : height(of_height), width(of_width) {}
  HeightAndWidth(const LayerBuilder& builder, std::string_view field) {
    const auto& numbers = builder.layer.get<Shape>(field);
    height = numbers.front(), width = numbers.back();
  }
  std::vector<std::int64_t> list() const { return {height, width}; }

  std::int64_t height, width;
};

// Refuses inputs other than images [rows, height, width, channels].
void require_images(const LayerBuilder& builder) {
  if (builder.input().shape.size() == 4) return;
  builder.refuse("reads " + text(builder.input()) + "; needs images, such as [rows, height, width, channels]");
}

// Returns how many pixels of padding an axis needs, at both ends together, to have pixels / stride windows, rounded up.
// That is TensorFlow's padding SAME.
std::int64_t padding_of_same(std::int64_t pixels, std::int64_t size, std::int64_t stride, std::int64_t dilation) {
  const std::int64_t windows = (pixels + stride - 1) / stride;
  return std::max<std::int64_t>(0, (windows - 1) * stride + (size - 1) * dilation + 1 - pixels);
}

// Returns the attribute `pads`: top, left, bottom, right. If the padding is an odd number of pixels, the bottom or
// right gets one more, as in TensorFlow.
std::vector<std::int64_t> pads_of(const LayerBuilder& builder, HeightAndWidth size, HeightAndWidth strides,
                                  HeightAndWidth dilation = {1, 1}) {
  if (builder.layer.get<Choice>("padding").text() == "Valid") return {0, 0, 0, 0};
  const Dimensions& images = builder.input().shape;
  const std::int64_t lines = padding_of_same(images[1].count, size.height, strides.height, dilation.height);
  const std::int64_t columns = padding_of_same(images[2].count, size.width, strides.width, dilation.width);
  return {lines / 2, columns / 2, lines - lines / 2, columns - columns / 2};
}

ValueId pooled(LayerBuilder& builder, std::string_view op) {
  require_images(builder);
  const HeightAndWidth size(builder, "size"), strides(builder, "strides");
  const Attributes attributes{
      {"kernel_shape", size.list()}, {"strides", strides.list()}, {"pads", pads_of(builder, size, strides)}};
  return builder.graph.append(op, attributes, builder.inputs, builder.name);
}

}  // namespace

ValueId conv2d(LayerBuilder& builder) {
  require_images(builder);
  const auto filters = builder.layer.get<std::int64_t>("filters"), groups = builder.layer.get<std::int64_t>("groups");
  const std::int64_t channels = builder.input().shape[3].count;
  for (const auto& [what, count] : {std::pair("channels", channels), std::pair("filters", filters)}) {
    if (count % groups == 0) continue;
    builder.refuse("has " + std::to_string(count) + " " + what + ", which " + std::to_string(groups) +
                   " groups do not divide");
  }
  const HeightAndWidth size(builder, "kernelSize"), strides(builder, "strides"), dilation(builder, "dilation");
  const Shape shape{size.height, size.width, channels / groups, filters};
  const ValueId kernel = builder.parameter("kernel", shape, builder.initializer_of("kernelInitializer", shape));
  const Attributes attributes{{"strides", strides.list()},
                              {"dilations", dilation.list()},
                              {"pads", pads_of(builder, size, strides, dilation)},
                              {"group", groups}};
  ValueId output = builder.graph.append("Conv", attributes, {builder.inputs.front(), kernel}, builder.name);
  if (builder.layer.get<bool>("bias")) {
    output = builder.graph.add(builder.name, output, builder.parameter("bias", {filters}, zeros));
  }
  return builder.activate(output);
}

ValueId max_pool2d(LayerBuilder& builder) {
  return pooled(builder, "MaxPool");
}

ValueId average_pool2d(LayerBuilder& builder) {
  return pooled(builder, "AveragePool");
}

// Appends an average over one window that covers the whole image.
ValueId global_average_pool2d(LayerBuilder& builder) {
  require_images(builder);
  const Dimensions images = builder.input().shape;
  const Attributes attributes{{"kernel_shape", std::vector<std::int64_t>{images[1].count, images[2].count}}};
  const ValueId means = builder.graph.append("AveragePool", attributes, builder.inputs, builder.name);
  return builder.reshape(means, {images[0], images[3]});
}

}  // namespace carrack::train
