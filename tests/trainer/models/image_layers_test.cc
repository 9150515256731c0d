// Layers of images: their tensors, what they compute, and what they refuse.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/trainer/graph/expect_error.h"
#include "tests/trainer/models/networks.h"
#include "trainer/execution/executor.h"
#include "trainer/graph/gradient.h"
#include "trainer/models/check.h"
#include "trainer/models/layer_kinds.h"
#include "trainer/models/layers.h"

namespace carrack::train {
namespace {

const Data images{{},
                  {{"image", FeatureType::float32, 96, {}, Shape{6, 4, 4}},
                   {"small", FeatureType::float32, 4, {}, Shape{2, 2, 1}},
                   {"x", FeatureType::float32, 3}}};

Layer conv(std::int64_t filters, Shape size, std::vector<std::string> inputs) {
  Layer layer = of_kind("Conv2D", std::move(inputs));
  layer.set("filters", filters);
  layer.set("kernelSize", std::move(size));
  return layer;
}

Layer with_numbers(Layer layer, std::string_view field, Shape numbers) {
  layer.set(field, std::move(numbers));
  return layer;
}

Layer with_groups(Layer layer, std::int64_t groups) {
  layer.set("groups", groups);
  return layer;
}

Layer pooling(std::string_view kind, Shape size, Shape strides, std::vector<std::string> inputs) {
  Layer layer = of_kind(kind, std::move(inputs));
  layer.set("size", std::move(size));
  layer.set("strides", std::move(strides));
  return layer;
}

// The output of one layer, as messages have it.
std::string output_of(const Layer& layer) {
  Graph graph("spec.model");
  std::vector<Parameter> parameters;
  const ValueId input = graph.input("image", Type::float32, {6, 4, 4});
  return text(graph.value(append_layer({layer, "it", {input}, graph, parameters})).shape);
}

TEST(Conv2D, GivesAPixelForEachWindow) {
  const Layer three = conv(5, {3}, {"image"});
  EXPECT_EQ(output_of(three), "[rows, 4, 2, 5]");
  EXPECT_EQ(output_of(with(three, "padding", "Same")), "[rows, 6, 4, 5]");
  EXPECT_EQ(output_of(with_numbers(three, "strides", {2})), "[rows, 2, 1, 5]");
  EXPECT_EQ(output_of(with(with_numbers(three, "strides", {2, 3}), "padding", "Same")), "[rows, 3, 2, 5]");
  EXPECT_EQ(output_of(with_numbers(conv(5, {3, 1}, {"image"}), "dilation", {2, 1})), "[rows, 2, 4, 5]");
  EXPECT_EQ(output_of(with(with_numbers(conv(1, {1}, {"image"}), "strides", {9}), "padding", "Same")),
            "[rows, 1, 1, 1]");
}

// The product of the sizes is 2^63.
TEST(Conv2D, OfSizesThatNobodyCanCountIsRefused) {
  const Data deep{{}, {{"d", FeatureType::float32, 1 << 23, {}, Shape{1, 1, 1 << 23}}}};
  const Layer layer = with(conv(1 << 20, {1024}, {"d"}), "padding", "Same");
  expect_error(Blame::user,
               "spec.model.layers[0]: has a tensor [1024, 1024, 8388608, 1048576]; a model may have up to 17179869184 "
               "parameters",
               [&] {
                 build({{layer}, {LossKind::mse, "d"}}, deep);
               });
}

TEST(Conv2D, HasWeightsOfItsGroupsDrawnAsKerasDoes) {
  const Loss of_image{LossKind::mse, "image"};
  const Layer layer = with(with_groups(conv(4, {3, 5}, {"image"}), 2), "padding", "Same");
  const ModelGraph model = build({{layer}, of_image}, images);
  ASSERT_EQ(model.parameters.size(), 2u);
  EXPECT_EQ(model.parameters[0].name, "conv2d/kernel");
  EXPECT_EQ(model.parameters[0].shape, (Shape{3, 5, 2, 4}));
  // 3 * 5 * 2 inputs and 3 * 5 * 4 units.
  EXPECT_EQ(model.parameters[0].initial, (InitialValues{InitialValues::Kind::uniform, std::sqrt(6.0f / 90)}));
  EXPECT_EQ(model.parameters[1].name, "conv2d/bias");
  EXPECT_EQ(model.parameters[1].shape, Shape{4});
  Layer plain = layer;
  plain.set("bias", false);
  EXPECT_EQ(build({{plain}, of_image}, images).parameters.size(), 1u);
}

// Of [[1, 2], [3, 4]] with a window of 2 x 2: the padding is behind the image.
TEST(Conv2D, PadsAsTensorFlowDoes) {
  const ModelGraph model =
      build({{with(conv(1, {2}, {"small"}), "padding", "Same")}, {LossKind::mse, "small"}}, images);
  Executor executor(gradients(model.graph, *model.loss), layout_of(model), 1);
  const std::vector<float> small{1, 2, 3, 4}, parameters{1, 10, 100, 1000, 5};
  std::vector<float> gradient(5);
  const float loss = executor.run(parameters, std::vector<FeatureValues>{std::span<const float>(small)}, 1, gradient);
  const float errors[] = {1 + 20 + 300 + 4000 + 5 - 1, 2 + 400 + 5 - 2, 3 + 40 + 5 - 3, 4 + 5 - 4};
  float expected = 0;
  for (const float error : errors) expected += error * error / 4;
  EXPECT_FLOAT_EQ(loss, expected);
}

TEST(Pooling, GivesAPixelForEachWindow) {
  for (const char* kind : {"MaxPool2D", "AveragePool2D"}) {
    EXPECT_EQ(output_of(pooling(kind, {2}, {2}, {"image"})), "[rows, 3, 2, 4]");
    EXPECT_EQ(output_of(pooling(kind, {4, 3}, {1}, {"image"})), "[rows, 3, 2, 4]");
    EXPECT_EQ(output_of(pooling(kind, {3}, {3}, {"image"})), "[rows, 2, 1, 4]");
    EXPECT_EQ(output_of(with(pooling(kind, {3}, {3}, {"image"}), "padding", "Same")), "[rows, 2, 2, 4]");
    EXPECT_EQ(output_of(with(pooling(kind, {9}, {1, 2}, {"image"}), "padding", "Same")), "[rows, 6, 2, 4]");
  }
  EXPECT_EQ(output_of(of_kind("GlobalAveragePool2D", {"image"})), "[rows, 4]");
}

// What the layer computes of [[1, 2], [3, -4]]: the gradient of what its values are multiplied by.
std::vector<float> values_of(const Layer& layer) {
  Graph graph("spec.model");
  std::vector<Parameter> parameters;
  const ValueId input = graph.input("small", Type::float32, {2, 2, 1});
  const ValueId output = append_layer({layer, "it", {input}, graph, parameters});
  const Dimensions of_output = graph.value(output).shape;
  const NamedShape factors{"factors", with_rows({of_output.begin() + 1, of_output.end()}, 1)};
  const ValueId product = graph.mul("product", output, graph.parameter(factors.name, factors.shape));
  Executor executor(gradients(graph, graph.reduce_sum("sum", product, 0, of_output.size())), Layout({factors}), 1);
  const std::vector<float> small{1, 2, 3, -4};
  std::vector<float> values(static_cast<std::size_t>(element_count(factors.shape)));
  executor.run(std::vector<float>(values.size()), std::vector<FeatureValues>{std::span<const float>(small)}, 1, values);
  return values;
}

TEST(Pooling, LeavesOutThePadding) {
  using Floats = std::vector<float>;
  const auto same = [](std::string_view kind) { return with(pooling(kind, {2}, {1}, {"small"}), "padding", "Same"); };
  EXPECT_EQ(values_of(same("MaxPool2D")), Floats({3, 2, 3, -4})) << "the padding is behind the image, and is no 0";
  EXPECT_EQ(values_of(same("AveragePool2D")), Floats({0.5, -1, -0.5, -4}));
  EXPECT_EQ(values_of(pooling("MaxPool2D", {2}, {2}, {"small"})), Floats({3}));
  EXPECT_EQ(values_of(pooling("AveragePool2D", {1, 2}, {1, 2}, {"small"})), Floats({1.5, -0.5}));
  EXPECT_EQ(values_of(of_kind("GlobalAveragePool2D", {"small"})), Floats({0.5}));
}

struct Refusal {
  const char* name;
  Layer layer;
  const char* message;
};

const Refusal refusals[] = {
    {"NoImages", conv(2, {3}, {"x"}),
     "spec.model.layers[0]: reads `x` [rows, 3]; needs images, such as [rows, height, width, channels]"},
    {"GroupsOfChannels", with_groups(conv(3, {3}, {"image"}), 3),
     "spec.model.layers[0]: has 4 channels, which 3 groups do not divide"},
    {"GroupsOfFilters", with_groups(conv(3, {3}, {"image"}), 4),
     "spec.model.layers[0]: has 3 filters, which 4 groups do not divide"},
    {"NoPixel", conv(2, {3, 5}, {"image"}),
     "spec.model.layers[0]: Conv of `image` [rows, 6, 4, 4] and `conv2d/kernel` [3, 5, 4, 2]: leaves no pixel: windows "
     "reach over 3 x 5 pixels, and images with their padding have 6 x 4"},
    {"NoPixelForDilation", with_numbers(conv(2, {3}, {"image"}), "dilation", {3, 1}),
     "spec.model.layers[0]: Conv of `image` [rows, 6, 4, 4] and `conv2d/kernel` [3, 3, 4, 2]: leaves no pixel: windows "
     "reach over 7 x 3 pixels, and images with their padding have 6 x 4"},
    {"NoImagesToPool", pooling("MaxPool2D", {2}, {2}, {"x"}),
     "spec.model.layers[0]: reads `x` [rows, 3]; needs images, such as [rows, height, width, channels]"},
    {"NoImagesOfWhichTheMeansAre", of_kind("GlobalAveragePool2D", {"x"}),
     "spec.model.layers[0]: reads `x` [rows, 3]; needs images, such as [rows, height, width, channels]"},
    {"NoPixelToPool", pooling("AveragePool2D", {3, 5}, {1}, {"image"}),
     "spec.model.layers[0]: AveragePool of `image` [rows, 6, 4, 4]: leaves no pixel: windows reach over 3 x 5 pixels, "
     "and images with their padding have 6 x 4"},
};

class RefusedImageLayer : public testing::TestWithParam<Refusal> {};

TEST_P(RefusedImageLayer, SaysWhatIsWrong) {
  expect_error(Blame::user, GetParam().message, [] { build({{GetParam().layer}, {LossKind::mse, "image"}}, images); });
}

INSTANTIATE_TEST_SUITE_P(All, RefusedImageLayer, testing::ValuesIn(refusals),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace carrack::train
