// Events as a user's view of a job has them.
#include "operator/kube/job_reader.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace carrack::control {
namespace {

using nlohmann::json;

Time at(int hour, int minute, int second) {
  using std::chrono::sys_days, std::chrono::year;
  return sys_days{year(2026) / 1 / 31} + std::chrono::hours(hour) + std::chrono::minutes(minute) + seconds(second);
}

TEST(SeenEvents, AreReadAsTheSchedulerWritesThem) {
  const json event = {{"regarding", {{"kind", "Pod"}, {"name", "line-a-worker-0-0-1"}}},
                      {"type", "Warning"},
                      {"reason", "FailedScheduling"},
                      {"note", "0/3 nodes are available"},
                      {"eventTime", "2026-01-31T10:00:00.123456Z"},
                      {"series", {{"count", 3}, {"lastObservedTime", "2026-01-31T10:05:00.000001Z"}}}};
  EXPECT_EQ(read_event(event),
            (SeenEvent{"line-a-worker-0-0-1", true, "FailedScheduling", "0/3 nodes are available", 3, at(10, 5, 0)}));
}

TEST(SeenEvents, AreReadAsTheKubeletWritesThem) {
  const json event = {{"regarding", {{"kind", "Pod"}, {"name", "line-a-ps-0-0-1"}}},
                      {"type", "Warning"},
                      {"reason", "BackOff"},
                      {"note", "Back-off pulling \x1b image"},
                      {"eventTime", nullptr},
                      {"deprecatedCount", 12},
                      {"deprecatedLastTimestamp", "2026-01-31T10:00:07Z"}};
  EXPECT_EQ(read_event(event),
            (SeenEvent{"line-a-ps-0-0-1", true, "BackOff", "Back-off pulling \\x1b image", 12, at(10, 0, 7)}));
}

TEST(SeenEvents, AboutTheJobHaveNoPod) {
  const json event = {{"regarding", {{"kind", "TrainingJob"}, {"name", "line"}}},
                      {"type", "Normal"},
                      {"reason", "JobCreated"},
                      {"eventTime", "2026-01-31T10:00:00.000000Z"}};
  EXPECT_EQ(read_event(event), (SeenEvent{"", false, "JobCreated", "", 1, at(10, 0, 0)}));
}

TEST(SeenEvents, OfAnyJsonAreEvents) {
  for (const char* text : {"null", "[]", "{}", R"({"series": 3, "eventTime": "yesterday", "deprecatedCount": -5})"}) {
    EXPECT_EQ(read_event(json::parse(text)), SeenEvent{}) << text;
  }
}

}  // namespace
}  // namespace carrack::control
