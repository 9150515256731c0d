// Pooling and its gradients against their evaluation in double precision, which value of a window is its maximum, and
// what bits depend on.
#include "trainer/kernels/pooling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/trainer/kernels/naive.h"
#include "trainer/graph/ops/windows.h"
#include "trainer/kernels/thread_pool.h"
#include "trainer/reference/evaluate.h"

namespace carrack::train {
namespace {

struct Case {
  std::int64_t rows;
  Shape image;  // [height, width, channels]
  std::vector<std::int64_t> size, strides = {1, 1}, pads = {0, 0, 0, 0};

  Attributes attributes() const { return {{"kernel_shape", size}, {"strides", strides}, {"pads", pads}}; }
};

PoolingShape shape_of(const Case& of) {
  const Dimensions images{batch_rows, of.image[0], of.image[1], of.image[2]};
  const auto windows = std::get<Windows>(pooling_windows(images, of.attributes()));
  return {.rows = of.rows, .height = windows.height, .width = windows.width, .channels = of.image[2]};
}

std::vector<float> unit_numbers(std::int64_t size, std::uint32_t seed) {
  std::vector<float> values = naive::numbers(static_cast<std::size_t>(size), seed);
  for (float& value : values) value = value / 8192;
  return values;
}

// Numbers for each input, and room for each result.
struct Data {
  explicit Data(const Case& of) : shape(shape_of(of)) {}

  void compute(cpu::ThreadPool* threads = nullptr) {
    cpu::max_pool(shape, x.data(), maxima.data(), threads);
    cpu::max_pool_gradient(shape, of_y.data(), x.data(), of_maxima.data(), threads);
    cpu::average_pool(shape, x.data(), means.data(), threads);
    cpu::average_pool_gradient(shape, of_y.data(), of_means.data(), threads);
  }
  std::vector<std::vector<float>> results() const { return {maxima, of_maxima, means, of_means}; }

  PoolingShape shape;
  std::int64_t x_size = shape.rows * shape.height.input * shape.width.input * shape.channels,
               y_size = shape.rows * shape.pixels() * shape.channels;
  std::vector<float> x = unit_numbers(x_size, 1), of_y = unit_numbers(y_size, 2);
  std::vector<float> maxima = std::vector<float>(of_y.size(), NAN), of_maxima = std::vector<float>(x.size(), NAN),
                     means = maxima, of_means = of_maxima;
};

// The results in the order of Data::results().
std::vector<reference::Doubles> evaluated(const Case& of, const Data& data) {
  Graph graph("spec.model");
  reference::Arguments arguments{.parameters = {}, .inputs = {}, .rows = of.rows, .draws = {}};
  const auto input = [&](const char* name, const Shape& shape, const std::vector<float>& values) {
    arguments.inputs.emplace_back(values.begin(), values.end());
    return graph.input(name, Type::float32, shape);
  };
  const ValueId x = input("x", of.image, data.x);
  const ValueId of_y = input("of_y", {data.shape.height.output, data.shape.width.output, of.image[2]}, data.of_y);
  auto with_shape = of.attributes().all();
  with_shape.emplace("shape", graph.value(x).shape);
  const std::vector<ValueId> results{
      graph.append("MaxPool", of.attributes(), {x}, "maxima"),
      graph.append("MaxPoolGradient", of.attributes(), {of_y, x}, "of_maxima"),
      graph.append("AveragePool", of.attributes(), {x}, "means"),
      graph.append("AveragePoolGradient", Attributes(std::move(with_shape)), {of_y}, "of_means")};
  const std::vector<reference::Doubles> all = evaluate(graph, arguments);
  std::vector<reference::Doubles> found;
  for (const ValueId result : results) found.push_back(all[result]);
  return found;
}

const Case cases[] = {
    {1, {1, 1, 1}, {1, 1}},
    {3, {6, 5, 4}, {2, 2}, {2, 2}},                   // pixels that no window has
    {3, {6, 6, 3}, {3, 3}, {2, 2}, {0, 0, 1, 1}},     // windows that overlap
    {2, {5, 7, 2}, {3, 2}, {1, 3}, {2, 1, 1, 0}},     // as much padding as there may be
    {2, {4, 4, 3}, {2, 1}, {9, 7}},                   // strides beyond the image
    {2, {2, 3, 5}, {4, 5}, {1, 1}, {3, 3, 3, 4}},     // windows larger than the image
    {4, {7, 7, 150}, {7, 7}},                         // all pixels in one window, and channels for several blocks
    {8, {17, 16, 64}, {3, 3}, {2, 2}, {1, 1, 1, 1}},  // much to divide
};

TEST(Pooling, AgreesWithItsEvaluationInDoublePrecision) {
  for (const Case& one : cases) {
    SCOPED_TRACE("case " + std::to_string(&one - cases));
    Data data(one);
    data.compute();
    const auto computed = data.results();
    const auto expected = evaluated(one, data);
    for (std::size_t result = 0; result < expected.size(); ++result) {
      ASSERT_EQ(computed[result].size(), expected[result].size());
      for (std::size_t i = 0; i < expected[result].size(); ++i) {
        ASSERT_NEAR(computed[result][i], expected[result][i], 1e-6 * (1 + std::fabs(expected[result][i])))
            << "result " << result << ", element " << i;
      }
    }
  }
}

TEST(Pooling, HasTheSameBitsOnAnyNumberOfThreadsAndBesideOtherRows) {
  for (const Case& one : cases) {
    SCOPED_TRACE("case " + std::to_string(&one - cases));
    Data data(one);
    data.compute();
    for (const int threads : {2, 3}) {
      cpu::ThreadPool pool(threads);
      Data again(one);
      again.compute(&pool);
      EXPECT_EQ(again.results(), data.results());
    }
    Case alone = one;
    alone.rows = 1;
    Data first(alone);
    first.compute();
    const auto whole = data.results(), part = first.results();
    for (std::size_t i = 0; i < part.size(); ++i) {
      EXPECT_TRUE(std::equal(part[i].begin(), part[i].end(), whole[i].begin())) << "result " << i;
    }
  }
}

// What one window over these values has as its maximum, and which of them gets a gradient of 1.
std::pair<float, std::vector<float>> maximum_of(std::vector<float> values) {
  Data data({1, {1, std::ssize(values), 1}, {1, std::ssize(values)}});
  data.x = std::move(values);
  data.of_y = {1};
  data.compute();
  return {data.maxima.front(), data.of_maxima};
}

TEST(MaxPool, GivesTheGradientToTheFirstMaximum) {
  constexpr float infinite = std::numeric_limits<float>::infinity();
  using Floats = std::vector<float>;
  EXPECT_EQ(maximum_of({1, 3, 2, 3}), std::pair(3.0f, Floats({0, 1, 0, 0})));
  EXPECT_EQ(maximum_of({-0.0f, 0.0f}).second, Floats({1, 0})) << "both zeros are equal";
  EXPECT_EQ(maximum_of({-infinite, -infinite}), std::pair(-infinite, Floats({1, 0})));
  EXPECT_EQ(maximum_of({1, infinite, infinite}), std::pair(infinite, Floats({0, 1, 0})));
}

TEST(MaxPool, HidesNoNaN) {
  using Floats = std::vector<float>;
  for (const Floats& values : {Floats{NAN, 5, NAN}, Floats{7, NAN, 9}, Floats{7, NAN, NAN}, Floats{1, 2, NAN}}) {
    const auto [maximum, gradient] = maximum_of(values);
    EXPECT_TRUE(std::isnan(maximum));
    Floats first(3, 0.0f);
    for (std::size_t i = 0; i < 3; ++i) {
      if (!std::isnan(values[i])) continue;
      first[i] = 1;
      break;
    }
    EXPECT_EQ(gradient, first);
  }
}

// A sum of floats one after the other would be 16777216.
TEST(AveragePool, LosesNothingInLargeWindows) {
  Data data({1, {1, 3, 1}, {1, 3}});
  data.x = {16777216, 1, 1};
  data.compute();
  EXPECT_EQ(data.means.front(), 16777218.0f / 3);
}

}  // namespace
}  // namespace carrack::train
