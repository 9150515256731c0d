// Numbers, times and members in words.
#include "operator/explain/phrases.h"

#include <gtest/gtest.h>

#include <limits>

namespace carrack::control {
namespace {

TEST(Phrases, OfTimes) {
  const Time now{seconds(1'000'000)};
  EXPECT_EQ(time_from_now(now - seconds(180), now), "3 min ago");
  EXPECT_EQ(time_from_now(now + seconds(8), now), "in 8 s");
  EXPECT_EQ(time_from_now(now, now), "0 s ago");
}

TEST(Phrases, OfNumbers) {
  EXPECT_EQ(number_text(0.021347), "0.02135");
  EXPECT_EQ(number_text(12345678.0), "1.235e+07");
  EXPECT_EQ(number_text(std::nullopt), "nan or inf");
}

TEST(Phrases, OfSteps) {
  JobStatus status;
  EXPECT_EQ(step_phrase(status), "");
  status.progress = Progress{0, 0};
  EXPECT_EQ(step_phrase(status), "");
  status.progress = Progress{1'200, 0};
  EXPECT_EQ(step_phrase(status), "step 1,200");
  status.progress = Progress{999, 1'000};
  EXPECT_EQ(step_phrase(status), "step 999 of 1,000 (99%)");
}

TEST(Phrases, OfTheTimeThatIsLeft) {
  JobView view;
  view.status.progress = Progress{999, 1'000};
  EXPECT_EQ(time_left(view), "");
  view.steps_per_second = 0.5;
  EXPECT_EQ(time_left(view), "about 2 s left");
  view.status.progress = Progress{std::numeric_limits<std::int64_t>::max(), 1};
  EXPECT_EQ(time_left(view), "");
  view = {};
  view.status.progress = Progress{100, 1'000};
  view.status.start_time = Time{seconds(0)};
  view.now = Time{seconds(50)};
  EXPECT_EQ(time_left(view), "") << "it does not run";
  set_condition(view.status, {ConditionType::running, true, "MembersRunning", "", {}});
  EXPECT_EQ(time_left(view), "about 8 min left at its average pace");
  view.spec.config.checkpoint.on_taken = train::OnTaken::go_on;
  EXPECT_EQ(average_steps_per_second(view), std::nullopt) << "it may count the other job's steps";
  view.spec.config.checkpoint.on_taken = train::OnTaken::replace;
  EXPECT_NE(average_steps_per_second(view), std::nullopt);
  view.spec.config.checkpoint.resume = "gs://other";
  EXPECT_EQ(time_left(view), "") << "its steps are not all its own";
}

TEST(Phrases, OfMembers) {
  EXPECT_EQ(members_phrase(train::Role::worker, 2, 4, 1), "2 of 4 workers");
  EXPECT_EQ(members_phrase(train::Role::worker, 1, 4, 1), "worker 1");
  EXPECT_EQ(members_phrase(train::Role::ps, 1, 4, std::nullopt), "1 of 4 ps");
  EXPECT_EQ(members_phrase(train::Role::ps, 1, 1, std::nullopt), "ps 0");
}

TEST(Phrases, OfSeveralParts) {
  EXPECT_EQ(enumerated({}), "");
  EXPECT_EQ(enumerated({"a"}), "a");
  EXPECT_EQ(enumerated({"a", "b"}), "a and b");
  EXPECT_EQ(enumerated({"a", "b", "c"}), "a, b and c");
}

TEST(Phrases, FillInWordsOnce) {
  EXPECT_EQ(filled_in("JOB in ROLE, JOB", {{"JOB", "the ROLE"}, {"ROLE", "ps"}}), "the ROLE in ps, the ROLE");
  EXPECT_EQ(filled_in("", {{"JOB", "a"}}), "");
}

}  // namespace
}  // namespace carrack::control
