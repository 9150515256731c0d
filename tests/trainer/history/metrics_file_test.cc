#include "trainer/history/metrics_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "trainer/error.h"

namespace carrack::history {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

const TrainingPoint training{128, 0, 1764094505.123, 0.25, 12345.6};
const EvaluationPoint evaluation{200, 1, 1764094510.5, {{"records", 300}, {"loss", 0.2}, {"accuracy", 0.97}}, true};
const std::string training_line =
    R"({"step":128,"epoch":0,"time":1764094505.123,"loss":0.25,"records_per_second":12345.6})"
    "\n";
const std::string evaluation_line =
    R"({"step":200,"epoch":1,"time":1764094510.5,"evaluation":{"records":300,"loss":0.2,"accuracy":0.97},"best":true})"
    "\n";

TEST(MetricsFile, HasALineForEachPoint) {
  EXPECT_EQ(line_of(training), training_line);
  EXPECT_EQ(line_of(evaluation), evaluation_line);
  EXPECT_EQ(line_of(EvaluationPoint{1, 0, 2, {}}), "{\"step\":1,\"epoch\":0,\"time\":2,\"evaluation\":{}}\n");
}

TEST(MetricsFile, GivesThePointsBackThatWereWritten) {
  const std::vector<Point> points{training, evaluation, EvaluationPoint{~std::uint64_t{0}, 7, 1, {}, false, 3}};
  EXPECT_EQ(points_in(line_of(points[0]) + line_of(points[1]) + line_of(points[2])), points);
  EXPECT_EQ(points_in(""), std::vector<Point>());
}

TEST(MetricsFile, GivesEveryNumberBackExactly) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2'000; ++i) {
    const double value = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 1900) - 1000);
    const TrainingPoint point{random(), random(), value, -value, 1 / value};
    ASSERT_EQ(points_in(line_of(point)), std::vector<Point>{point});
  }
}

TEST(MetricsFile, HasNullForWhatIsNotFinite) {
  for (const double value : {nan, infinity, -infinity}) {
    const std::string line = line_of(TrainingPoint{1, 0, 2, value, value});
    EXPECT_EQ(line, "{\"step\":1,\"epoch\":0,\"time\":2,\"loss\":null,\"records_per_second\":null}\n");
    EXPECT_TRUE(std::isnan(std::get<TrainingPoint>(points_in(line).at(0)).loss));
  }
  const std::string line = line_of(EvaluationPoint{1, 0, 2, {{"loss", nan}}});
  EXPECT_TRUE(std::isnan(std::get<EvaluationPoint>(points_in(line).at(0)).metrics.at(0).second));
}

TEST(MetricsFile, IgnoresWhatItDoesNotKnow) {
  const std::vector<Point> expected{TrainingPoint{3, 4, 5, 1, 2}, EvaluationPoint{3, 4, 5, {{"loss", 6}}}};
  const std::string text =
      R"({"later":[{"a":[1]},null],"loss":1, "records_per_second" : 2,"step":3,"epoch":4,"time":5})"
      "\r\n \n"
      R"({"step":3,"epoch":4,"time":5,"evaluation":{"F1-score":{},"":1,"loss":6},"best":false,"more":"x"})"
      "\n";
  EXPECT_EQ(points_in(text), expected) << "nor a metric whose name is not in snake_case";
  const std::string name(65, 'a');
  EXPECT_EQ(points_in(line_of(EvaluationPoint{3, 4, 5, {{name, 1}, {"loss", 6}}})).at(0), expected[1]);
}

TEST(MetricsFile, LeavesOutAnUnfinishedLastLine) {
  for (std::size_t size = 0; size < evaluation_line.size() - 1; ++size) {
    ASSERT_EQ(points_in(training_line + evaluation_line.substr(0, size)), std::vector<Point>{training}) << size;
  }
  const std::string whole = training_line + evaluation_line.substr(0, evaluation_line.size() - 1);
  EXPECT_EQ(points_in(whole).size(), 2) << "only its line break is missing";
}

std::string message_of(const std::string& text) {
  try {
    points_in(text);
  } catch (const train::Error& error) {
    EXPECT_EQ(error.blame(), train::Blame::user);
    return error.what();
  }
  return "no error";
}

TEST(MetricsFile, NamesTheLineThatIsDamaged) {
  const auto message = [](const std::string& line) { return message_of(training_line + "\n" + line + "\n"); };
  EXPECT_EQ(message("x"), "line 3: an object was expected at byte 0");
  EXPECT_EQ(message("[1]"), "line 3: an object was expected at byte 0");
  EXPECT_EQ(message(R"({"step":1)"), "line 3: a comma or } was expected at byte 9");
  EXPECT_EQ(message(R"({"step":1.5})"), "line 3: a whole number was expected at byte 11");
  EXPECT_EQ(message(R"({"step":-1})"), "line 3: a whole number was expected at byte 10");
  EXPECT_EQ(message(R"({"time":"1"})"), "line 3: a number or null was expected at byte 8");
  EXPECT_EQ(message(R"({"loss":1e999})"), "line 3: a number or null was expected at byte 13");
  EXPECT_EQ(message(R"({"best":1})"), "line 3: true or false was expected at byte 8");
  EXPECT_EQ(message(R"({"evaluation":[]})"), "line 3: an object was expected at byte 14");
  EXPECT_EQ(message(R"({"step":1,"epoch":2})"), "line 3: a point has a step, an epoch and a time");
  EXPECT_EQ(message(R"({"step":1,"epoch":2,"time":3,"loss":4})"),
            "line 3: a point has loss and records_per_second, or an evaluation");
  EXPECT_EQ(message(R"({"x":)" + std::string(100'000, '[')), "line 3: values are nested deeper than 64 at byte 70");
}

TEST(MetricsFile, RefusesAFileThatIsTooLong) {
  EXPECT_EQ(message_of(std::string(metrics_file_bytes_max + 1, '\n')),
            "the file has 67.1 MB; at most 67.1 MB are read");
  EXPECT_EQ(message_of(std::string(metrics_file_bytes_max, '\n')), "no error");
}

TEST(MetricsFile, IsPointsOrAnErrorWhateverItsBytes) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 5'000; ++i) {
    std::string text = training_line + evaluation_line + training_line;
    for (std::uint64_t changes = random() % 4; changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      if (random() % 2 == 0) text[at] = static_cast<char>(random());
      if (random() % 4 == 0) text.erase(at, random() % 9);
    }
    if (message_of(text) != "no error") continue;
    std::string again;
    for (const Point& point : points_in(text)) again += line_of(point);
    ASSERT_EQ(message_of(again), "no error") << again;
  }
}

TEST(MetricsFile, HoldsWhatAJobRecordedAgainBehindACommit) {
  const auto trained = [](std::uint64_t step, double loss) { return TrainingPoint{step, 0, 0, loss, 0}; };
  const auto evaluated = [](std::uint64_t step, double loss) { return EvaluationPoint{step, 0, 0, {{"loss", loss}}}; };
  const std::vector<Point> points{trained(1, 9),  trained(5, 8), evaluated(5, 8), trained(8, 7), evaluated(8, 7),
                                  trained(5, 18), trained(7, 6), evaluated(6, 6), trained(9, 5)};
  const std::vector<Point> expected{trained(1, 9), evaluated(5, 8), trained(5, 18),
                                    trained(7, 6), evaluated(6, 6), trained(9, 5)};
  EXPECT_EQ(without_replaced(points), expected) << "an evaluation may end when training is further";
  EXPECT_EQ(without_replaced({trained(3, 1), evaluated(3, 1), evaluated(2, 2)}),
            (std::vector<Point>{trained(3, 1), evaluated(2, 2)}));
  EXPECT_EQ(without_replaced({}), std::vector<Point>());
}

}  // namespace
}  // namespace carrack::history
