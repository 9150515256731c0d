// Activation functions and losses against the C library in double precision, and at the edges of float.
#include "trainer/kernels/activations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/trainer/kernels/naive.h"
#include "trainer/kernels/functions.h"
#include "trainer/kernels/losses.h"

namespace carrack::train::cpu {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// The greatest distance from `exact` in units in the last place of the result, over [low, high].
template <class Function, class Exact>
double worst(float low, float high, Function function, Exact exact) {
  double worst = 0;
  constexpr int steps = 200'000;
  for (int i = 0; i <= steps; ++i) {
    const float x = low + (high - low) * (static_cast<float>(i) / steps);
    const double expected = exact(static_cast<double>(x));
    const auto nearest = static_cast<float>(expected);
    const double unit = static_cast<double>(std::nextafter(std::fabs(nearest), infinity)) - std::fabs(nearest);
    worst = std::max(worst, std::fabs(static_cast<double>(function(x)) - expected) / unit);
  }
  return worst;
}

TEST(Functions, AreWithinAFewUnitsInTheLastPlace) {
  EXPECT_LT(worst(-87.3f, 88.7f, exp_of, [](double x) { return std::exp(x); }), 1.5);
  EXPECT_LT(worst(-1.0f, 1.0f, exp_of, [](double x) { return std::exp(x); }), 1.5);
  EXPECT_LT(worst(1e-37f, 4.0f, log_of, [](double x) { return std::log(x); }), 1.5);
  EXPECT_LT(worst(1.0f, 1e38f, log_of, [](double x) { return std::log(x); }), 1.5);
  EXPECT_LT(worst(0.0f, 1.0f, log1p_of, [](double x) { return std::log1p(x); }), 3);
  EXPECT_LT(worst(-80.0f, 80.0f, sigmoid_of, [](double x) { return 1 / (1 + std::exp(-x)); }), 3);
  EXPECT_LT(worst(-20.0f, 20.0f, tanh_of, [](double x) { return std::tanh(x); }), 3);
  EXPECT_LT(worst(-1.0f, 1.0f, tanh_of, [](double x) { return std::tanh(x); }), 3);
}

TEST(Functions, HaveErrorFunctionAndNormalShareWithin5e7) {
  for (float x = -7; x < 7; x += 1e-4f) {
    ASSERT_NEAR(erf_of(x), std::erf(double{x}), 5e-7) << x;
    ASSERT_NEAR(normal_cdf_of(x), std::erfc(-x * std::sqrt(0.5)) / 2, 3e-7) << x;
    ASSERT_GE(normal_cdf_of(x), 0) << x;
  }
}

TEST(Functions, EndWhereFloatsEnd) {
  EXPECT_EQ(erf_of(-infinity), -1);
  EXPECT_EQ(erf_of(0.0f), 0);
  EXPECT_EQ(normal_cdf_of(-infinity), 0);
  EXPECT_EQ(normal_cdf_of(infinity), 1);
  EXPECT_EQ(normal_cdf_of(0.0f), 0.5f);
  EXPECT_EQ(exp_of(-infinity), 0);
  EXPECT_EQ(exp_of(-88.0f), 0);
  EXPECT_EQ(exp_of(0.0f), 1);
  EXPECT_EQ(exp_of(89.0f), infinity);
  EXPECT_EQ(exp_of(infinity), infinity);
  EXPECT_EQ(log_of(0.0f), -infinity);
  EXPECT_EQ(log_of(1.0f), 0);
  EXPECT_EQ(log_of(infinity), infinity);
  EXPECT_EQ(log1p_of(0.0f), 0);
  EXPECT_EQ(log1p_of(1e-20f), 1e-20f);
  EXPECT_EQ(sigmoid_of(-infinity), 0);
  EXPECT_EQ(sigmoid_of(infinity), 1);
  EXPECT_EQ(tanh_of(-infinity), -1);
  EXPECT_EQ(tanh_of(infinity), 1);
  EXPECT_EQ(tanh_of(1e-30f), 1e-30f);
  for (const auto function : {exp_of, log_of, log1p_of, sigmoid_of, tanh_of, erf_of, normal_cdf_of})
    EXPECT_TRUE(std::isnan(function(NAN)));
}

using Floats = std::vector<float>;

TEST(Activations, AndTheirGradients) {
  const Floats x{-2, 0, 3, NAN}, of_y{5, 5, 5, 5};
  Floats y(4), of_x(4);
  relu(x, y);
  EXPECT_EQ(Floats(y.begin(), y.begin() + 3), (Floats{0, 0, 3}));
  EXPECT_TRUE(std::isnan(y[3]));
  relu_gradient(of_y, y, of_x);
  EXPECT_EQ(Floats(of_x.begin(), of_x.begin() + 3), (Floats{0, 0, 5}));
  sigmoid(x, y);
  sigmoid_gradient(of_y, y, of_x);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(of_x[i], 5 * y[i] * (1 - y[i]), 1e-6);
  tanh(x, y);
  tanh_gradient(of_y, y, of_x);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(of_x[i], 5 * (1 - std::pow(std::tanh(x[i]), 2)), 1e-6);
}

TEST(Activations, ThatBendAreTheirInputTimesAShare) {
  const Floats x{-infinity, -100, -3, -0.5f, 0, 0.5f, 3, 100, infinity}, of_y(x.size(), 5);
  Floats y(x.size()), of_x(x.size());
  gelu(x, y);
  EXPECT_EQ(Floats(y.begin(), y.begin() + 2), (Floats{0, 0}));
  EXPECT_EQ(Floats(y.end() - 2, y.end()), (Floats{100, infinity}));
  gelu_gradient(of_y, x, of_x);
  const auto share = [](double at) { return std::erfc(-at * std::sqrt(0.5)) / 2; };
  for (std::size_t i = 1; i + 1 < x.size(); ++i) {
    const double at = x[i], density = std::exp(-at * at / 2) / std::sqrt(2 * M_PI);
    EXPECT_NEAR(y[i], at * share(at), 1e-6 * std::fabs(at));
    EXPECT_NEAR(of_x[i], 5 * (share(at) + at * density), 3e-6);
  }
  EXPECT_EQ(of_x.front(), 0);
  EXPECT_EQ(of_x.back(), 5);
  swish(x, y);
  EXPECT_EQ(Floats(y.begin(), y.begin() + 2), (Floats{0, 0}));
  EXPECT_EQ(Floats(y.end() - 2, y.end()), (Floats{100, infinity}));
  swish_gradient(of_y, x, of_x);
  for (std::size_t i = 1; i + 1 < x.size(); ++i) {
    const double at = x[i], own = 1 / (1 + std::exp(-at));
    EXPECT_NEAR(y[i], at * own, 1e-6 * std::fabs(at));
    EXPECT_NEAR(of_x[i], 5 * own * (1 + at * (1 - own)), 3e-6);
  }
  EXPECT_EQ(of_x.front(), 0);
  EXPECT_EQ(of_x.back(), 5);
  for (const auto function : {gelu, swish}) {
    float nan = NAN;
    function({&nan, 1}, {&nan, 1});
    EXPECT_TRUE(std::isnan(nan));
  }
}

TEST(SoftmaxCrossEntropy, IsThatOfDoublePrecision) {
  const std::int64_t rows = 5, classes = 7;
  const Floats scores = naive::numbers(rows * classes, 1), of_loss = naive::numbers(rows, 2);
  const std::vector<std::int64_t> labels{6, 0, 3, 3, 5};
  Floats loss(rows), log_softmax(rows * classes), of_scores(rows * classes);
  softmax_cross_entropy(classes, scores.data(), labels, loss.data(), log_softmax.data());
  softmax_cross_entropy_gradient(classes, of_loss.data(), log_softmax.data(), labels, of_scores.data());
  for (std::size_t row = 0; row < rows; ++row) {
    double largest = -INFINITY, sum = 0;
    const float* own = scores.data() + row * classes;
    for (int i = 0; i < classes; ++i) largest = std::max(largest, double{own[i]});
    for (int i = 0; i < classes; ++i) sum += std::exp(own[i] - largest);
    const auto label = static_cast<std::size_t>(labels[row]);
    EXPECT_NEAR(loss[row], std::log(sum) + largest - own[label], 1e-5 * (1 + std::fabs(largest)));
    for (std::size_t i = 0; i < classes; ++i) {
      const double expected = of_loss[row] * (std::exp(own[i] - largest) / sum - (i == label ? 1 : 0));
      EXPECT_NEAR(of_scores[row * classes + i], expected,
                  1e-5 * (1 + std::fabs(of_loss[row])) * (1 + std::fabs(largest)));
    }
  }
}

TEST(SoftmaxCrossEntropy, StaysFiniteForLargeScores) {
  const Floats scores{1e30f, -1e30f};
  const std::vector<std::int64_t> labels{0};
  float loss = NAN;
  Floats log_softmax(2);
  softmax_cross_entropy(2, scores.data(), labels, &loss, log_softmax.data());
  EXPECT_EQ(loss, 0);
}

TEST(SigmoidCrossEntropy, IsThatOfDoublePrecision) {
  const Floats scores{-200, -3, -1e-3f, 0, 0.5f, 4, 200}, targets{0, 0.25f, 1, 0.5f, 1, 0, 1};
  Floats losses(scores.size()), slopes(scores.size());
  sigmoid_cross_entropy(scores, targets, losses);
  sigmoid_cross_entropy_slope(scores, targets, slopes);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double x = scores[i], t = targets[i];
    const double expected = std::max(x, 0.0) - x * t + std::log1p(std::exp(-std::fabs(x)));
    EXPECT_NEAR(losses[i], expected, 1e-6 * (1 + std::fabs(expected)));
    EXPECT_NEAR(slopes[i], 1 / (1 + std::exp(-x)) - t, 1e-6);
  }
}

TEST(Huber, IsQuadraticNearTheTargetAndLinearFarFromIt) {
  const Floats predictions{1, 1, 1, 1}, targets{0.5f, 4, -4, NAN};
  Floats losses(4), slopes(4);
  huber(2, predictions, targets, losses);
  huber_slope(2, predictions, targets, slopes);
  EXPECT_EQ(Floats(losses.begin(), losses.begin() + 3), (Floats{0.125f, 4, 8}));
  EXPECT_EQ(Floats(slopes.begin(), slopes.begin() + 3), (Floats{0.5f, -2, 2}));
  EXPECT_TRUE(std::isnan(losses[3]));
}

}  // namespace
}  // namespace carrack::train::cpu
