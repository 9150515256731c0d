#include "trainer/evaluation/metrics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace carrack::train {
namespace {

using Floats = std::vector<float>;
using Numbers = std::vector<std::int64_t>;

FeatureValues values(const Floats& all) {
  return std::span(all);
}

TEST(Metrics, OfValuesAreErrorsOfAllAndOfEach) {
  Metrics metrics({ModelTask::Kind::values, {2, 2}});
  const Floats outputs{1, 2, 3, 4}, targets{1, 0, 6, 4}, more{0, 0, 0, 0}, wanted{1, 0, 0, 0};
  metrics.add(outputs, values(targets), Floats{3});
  metrics.add(more, values(wanted), Floats{1});
  const MetricValues result = metrics.values();
  EXPECT_EQ(result.records, 2u);
  EXPECT_DOUBLE_EQ(result.loss, 2);
  EXPECT_DOUBLE_EQ(*result.mean_absolute_error, (2 + 3 + 1) / 8.0);
  EXPECT_DOUBLE_EQ(*result.mean_squared_error, (4 + 9 + 1) / 8.0);
  EXPECT_EQ(result.squared_errors, (std::vector<double>{(9 + 1) / 4.0, 4 / 4.0}));
  EXPECT_EQ(result.accuracy, std::nullopt);
  EXPECT_EQ(result.area_under_curve, std::nullopt);
  EXPECT_EQ(text(result), "loss 2, mean absolute error 0.75, mean squared error 1.75");
}

TEST(Metrics, OfOneValueHaveNoErrorsOfEach) {
  Metrics metrics({ModelTask::Kind::values, {}});
  const Floats outputs{1, 2}, targets{1, 0};
  metrics.add(outputs, values(targets), Floats{0, 4});
  EXPECT_DOUBLE_EQ(*metrics.values().mean_squared_error, 2);
  EXPECT_EQ(metrics.values().squared_errors, std::vector<double>());
}

TEST(Metrics, OfClassesCountTheGreatestScore) {
  Metrics metrics({ModelTask::Kind::classes, {3}});
  const Floats outputs{0, 1, 2, 5, 1, 2, 1, 1, 0};
  const Numbers targets{2, 1, 0};
  metrics.add(outputs, std::span<const std::int64_t>(targets), Floats{1, 2, 3});
  EXPECT_DOUBLE_EQ(*metrics.values().accuracy, 2.0 / 3) << "of equal scores the first counts";
  EXPECT_EQ(metrics.values().mean_absolute_error, std::nullopt);
  EXPECT_EQ(text(metrics.values()), "loss 2, accuracy 0.666667");
}

TEST(Metrics, OfALabelAreTheShareThatIsRightAndTheOrderOfScores) {
  Metrics metrics({ModelTask::Kind::labels, {1}});
  const Floats outputs{-1, 0.5f, 0.5f, 2}, others{0, 0};
  metrics.add(std::span(outputs).first(2), values(others), Floats{0, 0});
  EXPECT_EQ(metrics.values().area_under_curve, std::nullopt) << "all are of one kind";
  const Floats true_ones{1, 1};
  metrics.add(std::span(outputs).last(2), values(true_ones), Floats{0, 0});
  EXPECT_DOUBLE_EQ(*metrics.values().accuracy, 0.75);
  EXPECT_DOUBLE_EQ(*metrics.values().area_under_curve, 3.5 / 4);
  EXPECT_EQ(text(metrics.values()), "loss 0, accuracy 0.75, area under the ROC curve 0.875");
}

TEST(Metrics, OfSeveralLabelsHaveNoCurve) {
  Metrics metrics({ModelTask::Kind::labels, {2}});
  const Floats outputs{-1, 1}, targets{0, 1};
  metrics.add(outputs, values(targets), Floats{0});
  EXPECT_DOUBLE_EQ(*metrics.values().accuracy, 1);
  EXPECT_EQ(metrics.values().area_under_curve, std::nullopt);
}

TEST(Metrics, CountNaNAsWrong) {
  const float nan = std::nanf("");
  Metrics label({ModelTask::Kind::labels, {1}});
  const Floats outputs{nan, 1, -1}, targets{0, 1, 0};
  label.add(outputs, values(targets), Floats{nan, 0, 0});
  EXPECT_DOUBLE_EQ(*label.values().accuracy, 2.0 / 3);
  EXPECT_EQ(label.values().area_under_curve, std::nullopt);
  EXPECT_EQ(text(label.values()), "loss nan, accuracy 0.666667; 1 record with NaN in the output");
  Metrics classes({ModelTask::Kind::classes, {2}});
  const Floats scores{nan, 1, 1, nan};
  const Numbers zeros{0, 0};
  classes.add(scores, std::span<const std::int64_t>(zeros), Floats{0, 0});
  EXPECT_DOUBLE_EQ(*classes.values().accuracy, 0);
  EXPECT_EQ(classes.values().not_numbers, 2u);
}

TEST(Metrics, OfNoRecordsAreNone) {
  EXPECT_EQ(text(Metrics({ModelTask::Kind::values, {2}}).values()), "loss 0");
}

}  // namespace
}  // namespace carrack::train
