// Convolutions and their gradients against their evaluation in double precision, and what their bits depend on.
#include "trainer/kernels/convolution.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/trainer/kernels/naive.h"
#include "trainer/graph/ops/windows.h"
#include "trainer/kernels/thread_pool.h"
#include "trainer/reference/evaluate.h"

namespace carrack::train {
namespace {

struct Case {
  std::int64_t rows;
  Shape image, weights;  // [height, width, channels] and [height, width, channels of a group, filters]
  std::vector<std::int64_t> strides = {1, 1}, dilations = {1, 1}, pads = {0, 0, 0, 0};

  Attributes attributes() const {
    return {{"strides", strides}, {"dilations", dilations}, {"pads", pads}, {"group", image[2] / weights[2]}};
  }
};

ConvolutionShape shape_of(const Case& of) {
  const Dimensions images{batch_rows, of.image[0], of.image[1], of.image[2]};
  const auto windows = std::get<Windows>(windows_over(images, of.weights[0], of.weights[1], of.attributes()));
  return {.rows = of.rows,
          .height = windows.height,
          .width = windows.width,
          .channels = of.image[2],
          .filters = of.weights[3],
          .groups = of.image[2] / of.weights[2]};
}

std::vector<float> unit_numbers(std::int64_t size, std::uint32_t seed) {
  std::vector<float> values = naive::numbers(static_cast<std::size_t>(size), seed);
  for (float& value : values) value = value / 8192;
  return values;
}

// Numbers for each input, and room for each result.
struct Data {
  explicit Data(const Case& of) : shape(shape_of(of)) {}

  void compute(const LaneEnds& lane_ends = {}, cpu::ThreadPool* threads = nullptr) {
    cpu::convolution(shape, x.data(), weights.data(), y.data(), threads);
    cpu::convolution_input_gradient(shape, of_y.data(), weights.data(), of_x.data(), threads);
    cpu::convolution_weight_gradient(shape, of_y.data(), x.data(), of_weights.data(), lane_ends, threads);
  }
  std::vector<std::vector<float>> results() const { return {y, of_x, of_weights}; }

  ConvolutionShape shape;
  std::int64_t x_size = shape.rows * shape.height.input * shape.width.input * shape.channels;
  std::int64_t weights_size = shape.patch_size() * shape.filters, y_size = shape.rows * shape.pixels() * shape.filters;
  std::vector<float> x = unit_numbers(x_size, 1), weights = unit_numbers(weights_size, 2),
                     of_y = unit_numbers(y_size, 3);
  std::vector<float> y = std::vector<float>(of_y.size(), NAN), of_x = std::vector<float>(x.size(), NAN),
                     of_weights = std::vector<float>(weights.size(), NAN);
};

// The results in the order of Data::results().
std::vector<reference::Doubles> evaluated(const Case& of, const Data& data) {
  Graph graph("spec.model");
  reference::Arguments arguments{.parameters = {}, .inputs = {}, .rows = of.rows, .draws = {}};
  arguments.parameters.emplace_back(data.weights.begin(), data.weights.end());
  const auto input = [&](const char* name, const Shape& shape, const std::vector<float>& values) {
    arguments.inputs.emplace_back(values.begin(), values.end());
    return graph.input(name, Type::float32, shape);
  };
  const ValueId weights = graph.parameter("weights", of.weights), x = input("x", of.image, data.x);
  const Shape output{data.shape.height.output, data.shape.width.output, data.shape.filters};
  const ValueId of_y = input("of_y", output, data.of_y);
  const auto gradient = [&](const char* op, ValueId target, ValueId factor) {
    auto all = of.attributes().all();
    all.emplace("shape", graph.value(target).shape);
    return graph.append(op, Attributes(std::move(all)), {of_y, factor}, op);
  };
  const std::vector<ValueId> results{graph.append("Conv", of.attributes(), {x, weights}, "y"),
                                     gradient("ConvInputGradient", x, weights),
                                     gradient("ConvWeightGradient", weights, x)};
  const std::vector<reference::Doubles> all = evaluate(graph, arguments);
  return {all[results[0]], all[results[1]], all[results[2]]};
}

const Case cases[] = {
    {1, {1, 1, 1}, {1, 1, 1, 1}},
    {3, {1, 1, 5}, {3, 3, 5, 4}, {1, 1}, {1, 1}, {1, 1, 1, 1}},       // images of one pixel
    {2, {6, 5, 3}, {3, 3, 3, 4}},                                     // no padding
    {3, {6, 5, 3}, {3, 2, 3, 4}, {2, 1}, {1, 1}, {1, 0, 1, 1}},       // strides
    {2, {5, 7, 2}, {3, 3, 2, 3}, {2, 3}, {2, 2}, {2, 2, 2, 2}},       // dilation
    {2, {3, 2, 2}, {2, 2, 2, 3}, {1, 1}, {1, 1}, {5, 4, 3, 6}},       // more padding than pixels
    {2, {4, 4, 3}, {2, 2, 3, 5}, {9, 7}},                             // strides beyond the image
    {2, {5, 4, 6}, {3, 3, 2, 9}, {1, 2}, {1, 1}, {1, 1, 1, 1}},       // three groups
    {2, {6, 6, 5}, {3, 3, 1, 10}, {1, 1}, {1, 2}, {1, 2, 1, 2}},      // a group for each channel
    {2, {7, 5, 6}, {1, 1, 6, 20}},                                    // a product
    {2, {7, 5, 6}, {1, 1, 6, 20}, {2, 2}},                            // pixels that are left out
    {2, {3, 3, 4}, {1, 1, 4, 3}, {1, 1}, {1, 1}, {1, 0, 0, 2}},       // pixels of padding alone
    {9, {20, 20, 16}, {3, 3, 16, 24}, {1, 1}, {1, 1}, {1, 1, 1, 1}},  // several pieces
    {1, {40, 40, 8}, {7, 7, 8, 8}, {2, 2}, {1, 1}, {3, 3, 3, 3}},     // several pieces of one row
};

TEST(Convolution, AgreesWithItsEvaluationInDoublePrecision) {
  for (const Case& one : cases) {
    SCOPED_TRACE("case " + std::to_string(&one - cases));
    Data data(one);
    data.compute();
    const auto computed = data.results();
    const auto expected = evaluated(one, data);
    for (std::size_t result = 0; result < expected.size(); ++result) {
      ASSERT_EQ(computed[result].size(), expected[result].size());
      for (std::size_t i = 0; i < expected[result].size(); ++i) {
        ASSERT_NEAR(computed[result][i], expected[result][i], 1e-4 * (1 + std::fabs(expected[result][i])))
            << "result " << result << ", element " << i;
      }
    }
  }
}

std::vector<std::int64_t> lanes_of(std::int64_t rows, std::int64_t lanes) {
  std::vector<std::int64_t> ends;
  for (std::int64_t lane = 1; lane <= lanes; ++lane) ends.push_back(rows * lane / lanes);
  return ends;
}

TEST(Convolution, HasTheSameBitsOnAnyNumberOfThreadsAndBesideOtherRows) {
  for (const Case& one : cases) {
    SCOPED_TRACE("case " + std::to_string(&one - cases));
    Data data(one);
    const std::vector<std::int64_t> ends = lanes_of(one.rows, 4);
    data.compute(ends);
    for (const int threads : {2, 3}) {
      cpu::ThreadPool pool(threads);
      Data again(one);
      again.compute(ends, &pool);
      EXPECT_EQ(again.results(), data.results());
    }
    Case alone = one;
    alone.rows = 1;
    Data first(alone);
    first.compute();
    EXPECT_TRUE(std::equal(first.y.begin(), first.y.end(), data.y.begin()));
    EXPECT_TRUE(std::equal(first.of_x.begin(), first.of_x.end(), data.of_x.begin()));
  }
}

// Each lane by itself, and their sums along the tree.
TEST(Convolution, AddsUpTheGradientOfWeightsByLanes) {
  for (Case one : cases) {
    SCOPED_TRACE("channels " + std::to_string(one.image[2]) + ", filters " + std::to_string(one.weights[3]));
    one.rows = 7;
    const std::vector<std::int64_t> ends{2, 2, 6, 7};
    Data whole(one);
    whole.compute(ends);
    std::vector<std::vector<float>> sums;
    for (std::size_t lane = 0; lane < ends.size(); ++lane) {
      const std::int64_t begin = lane == 0 ? 0 : ends[lane - 1];
      Data part = whole;
      part.shape.rows = ends[lane] - begin;
      cpu::convolution_weight_gradient(part.shape, whole.of_y.data() + begin * whole.y_size / 7,
                                       whole.x.data() + begin * whole.x_size / 7, part.of_weights.data());
      sums.push_back(part.of_weights);
    }
    for (std::size_t i = 0; i < whole.of_weights.size(); ++i) {
      ASSERT_EQ(whole.of_weights[i], (sums[0][i] + sums[1][i]) + (sums[2][i] + sums[3][i])) << i;
    }
  }
}

TEST(Convolution, HidesNoNaN) {
  Data data({1, {4, 4, 2}, {3, 3, 2, 2}, {1, 1}, {1, 1}, {1, 1, 1, 1}});
  data.x[0] = NAN;
  std::fill(data.weights.begin(), data.weights.end(), 0.0f);
  data.compute();
  EXPECT_TRUE(std::isnan(data.y[0]));
  EXPECT_FALSE(std::isnan(data.y.back())) << "its window does not reach the pixel";
  EXPECT_TRUE(std::isnan(data.of_weights[8 * 2])) << "the middle of the window reads each pixel";
}

}  // namespace
}  // namespace carrack::train
