#include "operator/web/exposition.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace carrack::control {
namespace {

std::string text_of(double value) {
  return exposition({{"x", "gauge", "X.", {{{}, value}}}});
}

TEST(Exposition, WritesAFamilyWithItsHelpAndType) {
  EXPECT_EQ(exposition({{"carrack_jobs",
                         "gauge",
                         "Jobs by state.",
                         {{{{"state", "Running"}}, 3.0}, {{{"state", "Failed"}, {"why", "Gone"}}, 0.5}}}}),
            "# HELP carrack_jobs Jobs by state.\n"
            "# TYPE carrack_jobs gauge\n"
            "carrack_jobs{state=\"Failed\",why=\"Gone\"} 0.5\n"
            "carrack_jobs{state=\"Running\"} 3\n");
}

TEST(Exposition, CumulatesTheBucketsOfAHistogram) {
  Histogram seconds({0.1, 1});
  for (const double value : {0.05, 0.1, 0.5, 30.0}) seconds.observe(value);
  EXPECT_EQ(exposition({{"wait_seconds", "histogram", "Waits.", {{{{"verb", "get"}}, seconds}}}}),
            "# HELP wait_seconds Waits.\n"
            "# TYPE wait_seconds histogram\n"
            "wait_seconds_bucket{verb=\"get\",le=\"0.1\"} 2\n"
            "wait_seconds_bucket{verb=\"get\",le=\"1\"} 3\n"
            "wait_seconds_bucket{verb=\"get\",le=\"+Inf\"} 4\n"
            "wait_seconds_sum{verb=\"get\"} 30.65\n"
            "wait_seconds_count{verb=\"get\"} 4\n");
}

TEST(Exposition, EscapesWhatTheFormatTreatsApart) {
  EXPECT_EQ(exposition({{"x", "counter", "a \"b\"\\c\nd", {{{{"reason", "a \"b\"\\c\nd"}}, 1.0}}}}),
            "# HELP x a \"b\"\\\\c\\nd\n"
            "# TYPE x counter\n"
            "x{reason=\"a \\\"b\\\"\\\\c\\nd\"} 1\n");
}

TEST(Exposition, LeavesOutAFamilyWithoutSamples) {
  EXPECT_EQ(exposition({{"x", "counter", "X.", {}}}), "");
}

TEST(Exposition, WritesEveryNumberSoThatItReadsBackTheSame) {
  const std::string head = "# HELP x X.\n# TYPE x gauge\nx ";
  EXPECT_EQ(text_of(0), head + "0\n");
  EXPECT_EQ(text_of(-2), head + "-2\n");
  EXPECT_EQ(text_of(1790000000.125), head + "1790000000.125\n");
  EXPECT_EQ(text_of(1000000), head + "1000000\n");
  EXPECT_EQ(text_of(1e300), head + "1e+300\n");
  EXPECT_EQ(text_of(0.1), head + "0.1\n");
  EXPECT_EQ(text_of(std::nan("")), head + "NaN\n");
  EXPECT_EQ(text_of(std::numeric_limits<double>::infinity()), head + "+Inf\n");
  EXPECT_EQ(text_of(-std::numeric_limits<double>::infinity()), head + "-Inf\n");
}

}  // namespace
}  // namespace carrack::control
