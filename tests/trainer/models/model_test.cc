#include "trainer/models/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/trainer/models/networks.h"
#include "tests/trainer/models/specs.h"
#include "trainer/error.h"
#include "trainer/execution/executor.h"

namespace carrack::train {
namespace {

Executor executor_of(const ModelGraph& model, std::int64_t rows) {
  return Executor(gradients(model.graph, *model.loss), layout_of(model), rows);
}

TEST(LinearRegressionModel, IsTheSumOfSquaredErrors) {
  const ModelGraph linear = linear_regression(2);
  EXPECT_EQ(linear.features, (std::vector<Feature>{{"x", FeatureType::float32, 2}, {"y", FeatureType::float32, 1}}));
  const std::vector<float> parameters{3, -1, 0.5f}, x{1, 2, 4, 0}, y{0, 10};
  std::vector<float> sum(3);
  Executor executor = executor_of(linear, 2);
  // Predictions 1.5 and 12.5, errors 1.5 and 2.5.
  const float loss = executor.run(parameters, std::vector<FeatureValues>{std::span(x), std::span(y)}, 2, sum);
  EXPECT_EQ(loss, 1.5f * 1.5f + 2.5f * 2.5f);
  EXPECT_EQ(sum, (std::vector<float>{2 * (1.5f * 1 + 2.5f * 4), 2 * (1.5f * 2), 2 * (1.5f + 2.5f)}));
}

TEST(LinearRegressionModel, KnowsTheGradientOfItsOffsetFirst) {
  EXPECT_EQ(executor_of(linear_regression(2), 1).ready_order(), (std::vector<std::size_t>{1, 0}));
}

TEST(TallyModel, HasGradientMinusOneAtEachRecordAsOftenAsItComes) {
  const ModelGraph counting = tally(5);
  EXPECT_EQ(counting.features, (std::vector<Feature>{{"index", FeatureType::int64, 1}}));
  const std::vector<float> counts{4, 3, 3, 3, 3};
  const std::vector<std::int64_t> index{0, 2, 2, 4};
  std::vector<float> sum(5, NAN);
  Executor executor = executor_of(counting, 4);
  const float loss = executor.run(counts, std::vector<FeatureValues>{std::span(index)}, 4, sum);
  EXPECT_EQ(sum, (std::vector<float>{-1, 0, -2, 0, -1}));
  EXPECT_EQ(loss, -13);
}

TEST(InitialValues, AreWithinTheLimitAndFillIt) {
  const ModelGraph linear = linear_regression(20000);
  std::vector<float> values(20001, NAN);
  initialize(linear, 7, {0, 20001}, values);
  EXPECT_EQ(values.back(), 0);
  EXPECT_FALSE(std::signbit(values.back()));
  const float limit = std::sqrt(6.0f / 20001.0f);
  const auto [least, most] = std::ranges::minmax(values);
  EXPECT_GE(least, -limit);
  EXPECT_LT(least, -0.99f * limit);
  EXPECT_LT(most, limit);
  EXPECT_GT(most, 0.99f * limit);
}

TEST(InitialValues, AreTheSameHoweverTheBufferIsCutAndOthersForAnotherSeed) {
  const ModelGraph linear = linear_regression(9000);
  std::vector<float> whole(9001), cut(9001), other(9001);
  initialize(linear, 7, {0, 9001}, whole);
  for (const Range& range : ranges_by_server(layout_of(linear), 3)) {
    initialize(linear, 7, range,
               std::span(cut).subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size())));
  }
  EXPECT_EQ(cut, whole);
  initialize(linear, 8, {0, 9001}, other);
  EXPECT_NE(other, whole);
}

TEST(InitialValues, OfTheDataAreTheSameHoweverTheBufferIsCut) {
  const Data of_x{{}, {{"x", FeatureType::float32, 9000}}};
  const ModelGraph model =
      model_graph(Layers{{of_kind("Standardize", {"x"}), dense(9000)}, {LossKind::mse, "x"}}, of_x);
  ValuesOfData of_data;
  for (float i = 0; i < 9000; ++i) {
    of_data["standardize/mean"].push_back(i);
    of_data["standardize/deviation"].push_back(i + 0.5f);
  }
  const Layout layout = layout_of(model);
  std::vector<float> values;
  for (const Range& range : {Range{0, 4096}, Range{4096, 13'096}, Range{13'096, 18'000}}) {
    std::vector<float> part(static_cast<std::size_t>(range.size()));
    initialize(model, 7, range, part, of_data);
    values.insert(values.end(), part.begin(), part.end());
  }
  EXPECT_TRUE(std::equal(values.begin(), values.begin() + 9000, of_data["standardize/mean"].begin()));
  EXPECT_TRUE(std::equal(values.begin() + 9000, values.end(), of_data["standardize/deviation"].begin()));
  std::vector<float> part(100);
  EXPECT_THROW(initialize(model, 7, {0, 100}, part), Error) << "there are none";
  of_data["standardize/mean"].pop_back();
  EXPECT_THROW(initialize(model, 7, {0, 100}, part, of_data), Error) << "there are too few";
}

TEST(InitialValues, OfATallyAreZeros) {
  std::vector<float> values(100, NAN);
  initialize(tally(100), 7, {0, 100}, values);
  for (const float value : values) EXPECT_TRUE(value == 0 && !std::signbit(value)) << "a negative zero has other bits";
  EXPECT_THROW(initialize(tally(100), 7, {0, 99}, values), Error);
}

TEST(ModelGraph, IsNotMadeOfASpecWithProblems) {
  try {
    tally(0);
    FAIL() << "made a tally of nothing";
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::user);
    EXPECT_STREQ(error.what(), "spec.model.records: is 0; must be from 1 to 17179869184");
  }
}

}  // namespace
}  // namespace carrack::train
