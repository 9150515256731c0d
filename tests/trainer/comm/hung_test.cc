// Which workers a coordinator takes for hung, by what they say of themselves, and which for lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/trainer/comm/hung_job.h"

namespace carrack::train {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(HungWorker, IsTheOneThatComputesAStepThatOthersHaveDone) {
  Job job;
  job.computes(worker, 0);
  job.awaits(second_worker, 1);
  job.pass(seconds(59));
  EXPECT_THAT(job.job.hung(), IsEmpty());
  EXPECT_EQ(job.lanes_of(second_worker), 2U);
  job.pass(seconds(1));
  const std::string why = "has computed step 1 for 60 s, and others are done";
  EXPECT_EQ(job.job.hung(), (std::vector<Hung>{{first, 1, why}}));
  EXPECT_EQ(job.take_refused(), (std::map<PeerId, std::string>{{worker, why}}));
  EXPECT_EQ(job.lanes_of(second_worker), 4U);
}

TEST(HungWorker, IsAlsoOneThatWaitsForItsRecords) {
  Job job;
  job.computes(worker, 0, wire::Work::RECORDS);
  job.awaits(second_worker, 1);
  job.pass(seconds(60));
  ASSERT_THAT(job.job.hung(), SizeIs(1));
  EXPECT_EQ(job.job.hung()[0].why, "has waited for the records of step 1 for 60 s, and others are done");
}

// The worker ends by itself when its program takes longer than it has said.
TEST(HungWorker, IsNoneWhoseProgramComputes) {
  Job job;
  job.computes(worker, 0, wire::Work::PROGRAM);
  job.awaits(second_worker, 1);
  job.pass(seconds(3600));
  EXPECT_THAT(job.job.hung(), IsEmpty());
  job.computes(worker, 0, wire::Work::RECORDS);
  job.pass(seconds(60));
  EXPECT_THAT(job.job.hung(), SizeIs(1));
}

TEST(HungWorker, IsRefusedUntilItsProcessIsANewOne) {
  Job job;
  job.computes(worker, 0);
  job.awaits(second_worker, 1);
  job.pass(seconds(60));
  job.take_refused();
  job.join(third_worker, 0);
  EXPECT_THAT(job.take_refused(), SizeIs(1));
  EXPECT_EQ(job.lanes_of(second_worker), 4U);
  EXPECT_THAT(job.job.hung(), SizeIs(1));
  job.join(third_worker + 1, 0, 2);
  EXPECT_THAT(job.take_refused(), IsEmpty());
  EXPECT_EQ(job.lanes_of(second_worker), 2U);
  EXPECT_THAT(job.job.hung(), IsEmpty());
}

TEST(HungWorker, IsAMemberAgainOnceItHasDoneItsBatch) {
  Job job;
  job.computes(worker, 0);
  job.awaits(second_worker, 1);
  job.pass(seconds(60));
  job.is_now(worker, third_worker);
  job.take_refused();
  job.join(third_worker, 0);
  EXPECT_THAT(job.take_refused(), SizeIs(1));
  job.is_idle(third_worker);
  job.has_computed(third_worker, 2, seconds(61));
  job.is_now(third_worker, third_worker + 1);
  job.join(third_worker + 1, 0);
  EXPECT_THAT(job.take_refused(), IsEmpty());
  EXPECT_THAT(job.job.hung(), IsEmpty());
  EXPECT_EQ(job.lanes_of(third_worker + 1), 2U);
}

// As one does that was stopped, so that it was taken for lost.
TEST(HungWorker, IsNoneThatComputedBeforeItCame) {
  Job job;
  job.computes(worker, 0);
  job.awaits(second_worker, 1);
  job.pass(seconds(5));
  job.job.closed(worker);
  job.pass(seconds(100));
  job.is_now(worker, third_worker);
  job.join(third_worker, 0);
  job.pass(seconds(59));
  EXPECT_THAT(job.job.hung(), IsEmpty());
  job.pass(seconds(1));
  EXPECT_THAT(job.job.hung(), SizeIs(1));
}

TEST(HungWorker, IsNoneWhileNobodyElseIsDone) {
  Job job;
  for (const PeerId peer : {worker, second_worker}) job.computes(peer, 0);
  job.pass(seconds(3600));
  EXPECT_THAT(job.job.hung(), IsEmpty());
  Job alone;
  alone.job.closed(second_worker);
  alone.leaves(second_worker);
  alone.computes(worker, 0);
  alone.pass(seconds(3600));
  EXPECT_THAT(alone.job.hung(), IsEmpty());
}

TEST(HungWorker, MayTakeTwentyTimesAsLongAsTheMedian) {
  Job job;
  job.has_computed(second_worker, 2, seconds(10));
  job.computes(worker, 0);
  job.awaits(second_worker, 1);
  job.pass(seconds(199));
  EXPECT_THAT(job.job.hung(), IsEmpty());
  job.pass(seconds(1));
  EXPECT_THAT(job.job.hung(), SizeIs(1));
}

// Its process goes on, so that it has said before how long its last batch took.
TEST(HungWorker, CountsNoBatchTwiceIfAWorkerComesBack) {
  for (const bool is_same_process : {true, false}) {
    Job job;
    for (const PeerId peer : {worker, second_worker}) job.has_computed(peer, 1, seconds(10));
    job.pass(seconds(1));
    job.has_computed(second_worker, 2, seconds(1));
    PeerId peer = second_worker;
    for (std::uint32_t time = 1; time <= 3; ++time) {
      job.pass(seconds(1));
      job.is_now(peer, peer + 1);
      job.join(++peer, 1, is_same_process ? 1 : 1 + time);
    }
    job.computes(worker, 0);
    job.awaits(peer, 1);
    job.pass(seconds(199));
    EXPECT_THAT(job.job.hung(), SizeIs(is_same_process ? 0 : 1));
    job.pass(seconds(1));
    EXPECT_THAT(job.job.hung(), SizeIs(1));
  }
}

TEST(HungWorker, MayTakeFiveMinutesForItsFirstStep) {
  Job job;
  job.computes(worker, 0);
  job.has_computed(worker, 0, seconds(0));
  job.awaits(second_worker, 1);
  job.pass(seconds(299));
  EXPECT_THAT(job.job.hung(), IsEmpty());
  job.pass(seconds(1));
  EXPECT_THAT(job.job.hung(), SizeIs(1));
}

TEST(HungWorker, IsNoneOfWhichTheServersHaveTheStep) {
  Job job;
  job.computes(worker, 0);
  job.awaits(second_worker, 1);
  job.apply_step(1);
  job.pass(seconds(100));
  EXPECT_THAT(job.job.hung(), IsEmpty());
}

TEST(HungWorker, IsNoneOfAReleaseThatDoesNotSayWhatItDoes) {
  Job job;
  job.says_nothing(worker);
  job.awaits(second_worker, 1);
  job.pass(seconds(600));
  EXPECT_THAT(job.job.hung(), IsEmpty());
}

TEST(HungWorker, IsOneAtATimeAndOneAMinute) {
  Job job;
  job.join(third_worker, 2);
  job.computes(worker, 0);
  job.pass(seconds(1));
  job.computes(second_worker, 0);
  job.awaits(third_worker, 1);
  job.pass(seconds(60));
  EXPECT_THAT(job.job.hung(), SizeIs(1));
  EXPECT_EQ(job.job.hung()[0].member, first);
  job.pass(seconds(58));
  EXPECT_THAT(job.job.hung(), SizeIs(1));
  job.pass(seconds(2));
  EXPECT_THAT(job.job.hung(), SizeIs(2));
}

TEST(HungWorker, IsAlsoOneThatComputesAStepOfATimelineOrAnAssignmentBefore) {
  Job job;
  job.computes(worker, 0);
  job.apply_step(1);  // While another worker had its lanes.
  job.awaits(second_worker, 2);
  job.pass(seconds(60));
  EXPECT_THAT(job.job.hung(), SizeIs(1));
  Job later;
  later.computes(worker, 5, wire::Work::COMPUTING, later.timeline - 1);
  later.awaits(second_worker, 1);
  later.pass(seconds(60));
  EXPECT_THAT(later.job.hung(), SizeIs(1));
}

TEST(HungWorker, GivesItsLeasesBackInAsync) {
  Job job(false);
  const auto finish = [&](std::uint64_t batch) {
    return grants(job.job.received(second_worker, finished(job.timeline, batch), job.now));
  };
  // The leases of the two are 0, 1 and 2, 3.
  job.computes(worker, 0);
  job.computes(second_worker, 2);
  job.pass(seconds(300));
  EXPECT_THAT(job.job.hung(), IsEmpty());
  EXPECT_EQ(finish(2), std::vector<std::uint64_t>{4});
  job.computes(second_worker, 3);
  job.pass(seconds(1));
  ASSERT_THAT(job.job.hung(), SizeIs(1));
  EXPECT_EQ(job.job.hung()[0].member, first);
  EXPECT_THAT(job.take_refused(), SizeIs(1));
  EXPECT_EQ(finish(3), std::vector<std::uint64_t>{0});
}

TEST(HungWorker, IsAlsoOneThatHasTheOnlyLanesOrLeasesThatAreLeft) {
  for (const bool sync : {true, false}) {
    Job job(sync);
    if (!sync) {
      for (const std::uint64_t batch : {2, 3}) job.job.received(second_worker, finished(job.timeline, batch), job.now);
      for (std::uint64_t batch = 4; batch < 10; ++batch) {
        job.job.received(second_worker, finished(job.timeline, batch), job.now);
      }
    }
    job.pass(seconds(10));
    job.computes(worker, 0);
    job.is_idle(second_worker);
    job.pass(seconds(60));
    EXPECT_THAT(job.job.hung(), SizeIs(1)) << sync;
  }
}

// The first batch may take long, and another worker would take as long.
TEST(HungWorker, IsNoneWhileTheOthersAreIdleAndNobodyHasDoneABatch) {
  Job job;
  job.computes(worker, 0);
  for (const PeerId peer : {worker, second_worker}) job.has_computed(peer, 0, seconds(0));
  job.pass(seconds(3600));
  EXPECT_THAT(job.job.hung(), IsEmpty());
  job.has_computed(second_worker, 1, seconds(10));  // With an earlier coordinator.
  job.pass(seconds(1));
  EXPECT_THAT(job.job.hung(), SizeIs(1));
}

TEST(HungWorker, IsNoneWithoutLanes) {
  Job job;
  for (const std::uint32_t index : {2, 3, 4}) {
    job.join(third_worker + index, index);
    job.awaits(third_worker + index, 1);
  }
  ASSERT_EQ(job.lanes_of(worker), 0U);
  job.computes(worker, 0);
  job.awaits(second_worker, 1);
  job.pass(seconds(3600));
  EXPECT_THAT(job.job.hung(), IsEmpty());
  job.job.closed(third_worker + 4);
  job.leaves(third_worker + 4);
  job.pass(seconds(1));
  EXPECT_THAT(job.job.hung(), SizeIs(1));
}

TEST(SilentWorker, IsLostAfterFiveSeconds) {
  Job job;
  job.pass(seconds(10));
  for (int second = 1; second <= 5; ++second) EXPECT_THAT(job.lost_at_tick(seconds(1)), IsEmpty()) << second;
  EXPECT_THAT(job.lost_at_tick(milliseconds(1)), ElementsAre(worker, second_worker));
}

// What the workers have sent meanwhile may not have been read yet.
TEST(SilentWorker, IsNoneBecauseTheCoordinatorStoodStill) {
  for (const milliseconds standstill : {milliseconds(2100), milliseconds(4500), milliseconds(100'000)}) {
    Job job;
    job.pass(seconds(10));
    for (int tick = 0; tick < 3; ++tick) EXPECT_THAT(job.lost_at_tick(milliseconds(500)), IsEmpty());
    EXPECT_THAT(job.lost_at_tick(standstill), IsEmpty()) << standstill.count() << " ms";
    EXPECT_EQ(job.lanes_of(worker), 2U);
    // They were silent for 1.5 s before.
    for (int tick = 1; tick <= 7; ++tick) EXPECT_THAT(job.lost_at_tick(milliseconds(500)), IsEmpty()) << tick;
    EXPECT_THAT(job.lost_at_tick(milliseconds(1)), ElementsAre(worker, second_worker));
  }
}

}  // namespace
}  // namespace carrack::train
