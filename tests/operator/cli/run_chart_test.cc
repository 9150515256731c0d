#include "operator/cli/run_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "operator/error.h"

namespace carrack::control {
namespace {

using history::EvaluationPoint;
using history::Point;
using history::TrainingPoint;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Point trained(std::uint64_t step, double loss) {
  return TrainingPoint{step, 0, 0, loss, 1000};
}

Point evaluated(std::uint64_t step, double loss, bool is_best = false) {
  return EvaluationPoint{step, 0, 0, {{"loss", loss}, {"accuracy", 1 - loss}}, is_best};
}

// A run whose loss falls from 2 to 0.01.
std::vector<Point> run() {
  std::vector<Point> points;
  for (std::uint64_t step = 10; step <= 10'000; step += 10) {
    const double loss = 2 * std::exp(-static_cast<double>(step) / 1000) + 0.01;
    points.push_back(trained(step, loss));
    if (step % 2'000 == 0) points.push_back(evaluated(step, step == 10'000 ? 0.5 : 1.3 * loss, step < 10'000));
  }
  return points;
}

std::vector<std::string> lines_of(const std::string& chart) {
  std::vector<std::string> lines;
  std::istringstream text(chart);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// Characters of UTF-8.
std::size_t width_of(const std::string& line) {
  return static_cast<std::size_t>(std::ranges::count_if(line, [](char one) { return (one & 0xc0) != 0x80; }));
}

TEST(RunChart, TellsTheLastValuesAndTheBest) {
  const std::vector<std::string> lines = lines_of(run_chart(run(), {}));
  EXPECT_EQ(lines[0], "loss by step, log scale");
  EXPECT_EQ(lines[1], ".' training 0.01009 at step 10,000");
  EXPECT_EQ(lines[2], "o  evaluation 0.5 at step 10,000");
  EXPECT_EQ(lines[3], "*  best evaluation 0.01387 at step 8,000");
  EXPECT_EQ(lines.size(), 4 + 16 + 2);
}

TEST(RunChart, FitsEveryWidth) {
  for (const Charset charset : {Charset::ascii, Charset::utf8}) {
    for (int width = 20; width <= 250; ++width) {
      const std::vector<std::string> lines = lines_of(run_chart(run(), {.width = width, .charset = charset}));
      for (const std::string& line : lines) {
        ASSERT_LE(width_of(line), static_cast<std::size_t>(width)) << line;
        ASSERT_FALSE(line.ends_with(' ')) << line;
      }
      ASSERT_EQ(width_of(lines[lines.size() - 2]), static_cast<std::size_t>(width)) << "the axis is as wide";
      ASSERT_THAT(lines.back(), HasSubstr("10,000")) << width;
    }
  }
}

TEST(RunChart, IsPlainAsciiUnlessToldOtherwise) {
  const auto is_ascii = [](const std::string& text) {
    return std::ranges::all_of(text, [](char one) { return one > 0; });
  };
  EXPECT_TRUE(is_ascii(run_chart(run(), {})));
  EXPECT_FALSE(is_ascii(run_chart(run(), {.charset = Charset::utf8})));
}

TEST(RunChart, HasNoEvaluationsIfThereAreNone) {
  const std::string chart = run_chart({trained(1, 0.5), trained(2, 0.4)}, {});
  EXPECT_THAT(chart, StartsWith("loss by step\n.' training 0.4 at step 2\n"));
  EXPECT_THAT(chart, Not(HasSubstr("evaluation")));
}

TEST(RunChart, HasNoTrainingIfThereIsNone) {
  const std::string chart = run_chart({evaluated(7, 0.5)}, {});
  EXPECT_THAT(chart, StartsWith("loss by step\no  evaluation 0.5 at step 7\n"));
  EXPECT_THAT(chart, Not(HasSubstr("training")));
}

TEST(RunChart, DrawsASinglePoint) {
  const std::vector<std::string> lines = lines_of(run_chart({trained(1, 0.5)}, {.width = 40}));
  EXPECT_EQ(
      std::ranges::count_if(lines, [](const std::string& line) { return line.ends_with("'") || line.ends_with("."); }),
      1);
  EXPECT_EQ(lines_of(run_chart({trained(0, 0)}, {})).size(), lines_of(run_chart({trained(5, -1)}, {})).size());
}

TEST(RunChart, SaysThatNothingIsRecordedYet) {
  EXPECT_EQ(run_chart({}, {}), "nothing is recorded yet\n");
}

TEST(RunChart, LeavesOutWhatIsNotFinite) {
  const std::string chart = run_chart({trained(1, 1), trained(2, nan), trained(3, 1)}, {});
  EXPECT_THAT(chart, StartsWith("loss by step\n.' training 1 at step 3\n1 value is not finite, so not drawn\n"));
  EXPECT_EQ(run_chart({trained(1, nan), trained(2, nan), evaluated(2, nan)}, {}),
            "loss by step\n.' training not finite at step 2\no  evaluation not finite at step 2\n"
            "3 values are not finite, so not drawn\n");
}

TEST(RunChart, DrawsOtherMetrics) {
  EXPECT_THAT(run_chart(run(), {.metric = "accuracy"}),
              StartsWith("accuracy by step\no  evaluation 0.5 at step 10,000\n*  evaluation with the lowest loss "
                         "0.9861 at step 8,000\n"));
  EXPECT_THAT(run_chart(run(), {.metric = "records_per_second"}),
              StartsWith("records_per_second by step\n.' training 1000 at step 10,000\n"));
}

TEST(RunChart, NamesTheMetricsThatThereAre) {
  const auto message = [](const std::string& metric) -> std::string {
    try {
      return run_chart(run(), {.metric = metric});
    } catch (const Error& error) {
      EXPECT_EQ(error.blame(), Blame::user);
      return error.what();
    }
  };
  EXPECT_EQ(message("acuracy"), "nothing is recorded of 'acuracy'; did you mean 'accuracy'?");
  EXPECT_EQ(message("\x1bq"), "nothing is recorded of '\\x1bq'; there are accuracy, loss, records_per_second");
}

TEST(RunChart, CountsOnceWhatAJobRecordedAgain) {
  const std::vector<Point> again{trained(1, 3), trained(9, 2), evaluated(9, 2, true), trained(4, 1)};
  EXPECT_EQ(run_chart(again, {}), run_chart({trained(1, 3), trained(4, 1)}, {}));
}

TEST(RunChart, DrawsAnyNumbers) {
  constexpr double largest = std::numeric_limits<double>::max();
  const std::vector<Point> points{trained(0, -largest), trained(1, largest),
                                  evaluated(~std::uint64_t{0}, 5e-324, true)};
  for (int width = 20; width < 90; ++width) {
    for (const std::string& line : lines_of(run_chart(points, {.width = width}))) {
      ASSERT_LE(line.size(), static_cast<std::size_t>(width)) << line;
    }
  }
}

}  // namespace
}  // namespace carrack::control
