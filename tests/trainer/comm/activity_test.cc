// What a worker says of itself, and how long workers take for a step.
#include "trainer/comm/protocol/activity.h"

#include <gtest/gtest.h>

#include "trainer/comm/protocol/step_times.h"

namespace carrack::train {
namespace {

using Kind = Worker::Doing::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Instant start{};

wire::Alive alive_of(const Activity& activity, Instant now, wire::Work::Kind computes = wire::Work::COMPUTING) {
  wire::Alive alive;
  activity.add_to(alive, computes, now);
  return alive;
}

TEST(Activity, SaysWhatTheWorkerDoesAndSinceWhen) {
  Activity activity;
  activity.does({Kind::awaits_parameters, 7, 3, 1}, start);
  activity.does({Kind::awaits_parameters, 7, 3, 1}, start + seconds(1));
  wire::Work work = alive_of(activity, start + milliseconds(2500)).work();
  EXPECT_EQ(work.kind(), wire::Work::PARAMETERS);
  EXPECT_EQ(work.timeline(), 7U);
  EXPECT_EQ(work.batch(), 3U);
  EXPECT_EQ(work.server(), 1U);
  EXPECT_EQ(work.for_ms(), 2500U);
  activity.does({Kind::computes, 7, 3}, start + seconds(3));
  work = alive_of(activity, start + seconds(5)).work();
  EXPECT_EQ(work.kind(), wire::Work::COMPUTING);
  EXPECT_EQ(work.for_ms(), 2000U);
  EXPECT_EQ(work.batches(), 0U);
  for (const auto computes : {wire::Work::RECORDS, wire::Work::PROGRAM}) {
    EXPECT_EQ(alive_of(activity, start + seconds(5), computes).work().kind(), computes);
  }
  activity.does({Kind::nothing, 7}, start + seconds(6));
  work = alive_of(activity, start + seconds(6), wire::Work::PROGRAM).work();
  EXPECT_EQ(work.kind(), wire::Work::NOTHING);
  EXPECT_EQ(work.batches(), 1U);
  EXPECT_EQ(work.last_took_ms(), 3000U);
}

TEST(Activity, SaysWhichServersItDoesNotReachAndForHowLong) {
  Activity activity;
  activity.link(0, 1, true, start);
  activity.link(1, 1, false, start);
  activity.link(1, 1, false, start + seconds(4));
  wire::Alive alive = alive_of(activity, start + seconds(5));
  ASSERT_EQ(alive.links_size(), 2);
  EXPECT_FALSE(alive.links(0).has_unreached_ms());
  EXPECT_EQ(alive.links(1).server(), 1U);
  EXPECT_EQ(alive.links(1).incarnation(), 1U);
  EXPECT_EQ(alive.links(1).unreached_ms(), 4000U);  // Nobody has looked since.
  EXPECT_EQ(alive.links(1).age_ms(), 1000U);
  EXPECT_EQ(alive.links(0).age_ms(), 5000U);
  activity.link(1, 2, false, start + seconds(6));
  alive = alive_of(activity, start + seconds(6));
  EXPECT_EQ(alive.links(1).incarnation(), 2U);
  EXPECT_EQ(alive.links(1).unreached_ms(), 0U);
  activity.link(1, 2, true, start + seconds(7));
  EXPECT_FALSE(alive_of(activity, start + seconds(7)).links(1).has_unreached_ms());
}

TEST(StepTimes, HaveTheMedianOfTheLastOnes) {
  StepTimes times;
  EXPECT_EQ(times.median(), milliseconds(0));
  for (const int one : {5, 1, 900}) times.add(milliseconds(one));
  EXPECT_EQ(times.median(), milliseconds(5));
  for (std::size_t i = 0; i < StepTimes::stored_max; ++i) times.add(milliseconds(7));
  EXPECT_EQ(times.median(), milliseconds(7));
  for (std::size_t i = 0; i < StepTimes::stored_max / 2; ++i) times.add(milliseconds(900));
  EXPECT_EQ(times.median(), milliseconds(7));
  times.add(milliseconds(900));
  EXPECT_EQ(times.median(), milliseconds(900));
}

}  // namespace
}  // namespace carrack::train
