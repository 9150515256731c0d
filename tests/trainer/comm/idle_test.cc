// A job whose workers leave, message by message. That it holds whatever happens is the simulation's to show.
#include <gtest/gtest.h>

#include "tests/trainer/comm/messages.h"
#include "trainer/comm/protocol/worker.h"

namespace carrack::train {
namespace {

TEST(Job, HasDrainedWhereNobodyHasDoneAnything) {
  Coordinator job = coordinator(true);
  EXPECT_FALSE(job.drained());
  const std::uint64_t timeline = begin(job);
  EXPECT_FALSE(job.drained());
  job.received(worker, leaving(timeline, 0), start);
  EXPECT_TRUE(job.drained());
}

TEST(Job, IsCutAtOnceWhereItsLastWorkerLeavesInSync) {
  Coordinator job = coordinator(true);
  const std::uint64_t timeline = begin(job);
  apply_steps(job, timeline, 0, 6);
  const auto ordered = cuts(job.received(worker, leaving(timeline, 7), start));
  EXPECT_EQ(ordered.at(first_server).version(), 7U);
  EXPECT_EQ(ordered.at(second_server).version(), 7U);
  job.received(first_server, saved(ordered.at(first_server), {}), start);
  const Commands last = job.received(second_server, saved(ordered.at(second_server), {}), start);
  ASSERT_NE(commit(last), nullptr);
  EXPECT_FALSE(job.drained());
  job.committed(commit(last)->cut.number, {"checkpoint-7-1-1-3.manifest", 0, 7, {}});
  EXPECT_TRUE(job.drained());
}

TEST(Job, IsNotCutInSyncWhereAServerIsAStepAhead) {
  Coordinator job = coordinator(true);
  const std::uint64_t timeline = begin(job);
  job.received(first_server, applied(timeline, 2), start);
  EXPECT_TRUE(cuts(job.received(worker, leaving(timeline, 1), start)).empty());
  EXPECT_FALSE(job.drained()) << "the other may just not have told of it";
  job.received(second_server, applied(timeline, 2), start);
  EXPECT_TRUE(cuts(job.tick(start)).empty());
  EXPECT_EQ(cuts(tick_until(job, start, start + std::chrono::seconds(6))).at(first_server).version(), 2U);
}

TEST(Job, HasDrainedInSyncWhereAServerStaysAStepAhead) {
  Coordinator job = coordinator(true);
  const std::uint64_t timeline = begin(job);
  job.received(first_server, applied(timeline, 2), start);
  job.received(worker, leaving(timeline, 1), start);
  job.tick(start);
  EXPECT_TRUE(cuts(tick_until(job, start, start + std::chrono::seconds(6))).empty());
  EXPECT_TRUE(job.drained()) << "nothing more can be committed";
}

TEST(Job, IsCommittedWithItsGapsInAsync) {
  Coordinator job = coordinator(false);
  const std::uint64_t timeline = begin(job);
  job.received(worker, finished(timeline, 1), start);
  const auto ordered = cuts(job.received(worker, leaving(timeline, 0), start));
  EXPECT_EQ(ordered.at(first_server).version(), 1U);
  job.received(first_server, saved(ordered.at(first_server), {{1, 2}}), start);
  const Commands last = job.received(second_server, saved(ordered.at(second_server), {{1, 2}}), start);
  ASSERT_NE(commit(last), nullptr);
  EXPECT_EQ(commit(last)->cut.applied, (std::vector<BatchRun>{{1, 2}}));
}

TEST(Job, IsCutAgainInAsyncWhereEveryServerHasMoreThanWasCounted) {
  Coordinator job = coordinator(false);
  const std::uint64_t timeline = begin(job);
  job.received(worker, finished(timeline, 0), start);
  const auto ordered = cuts(job.received(worker, leaving(timeline, 0), start));
  job.received(first_server, saved(ordered.at(first_server), {{0, 2}}), start);
  const Commands last = job.received(second_server, saved(ordered.at(second_server), {{0, 2}}), start);
  EXPECT_EQ(commit(last), nullptr);
  EXPECT_EQ(cuts(last).at(first_server).version(), 2U);
}

TEST(Job, IsNotCutAgainInAsyncWhereOneServerAloneHasMore) {
  Coordinator job = coordinator(false);
  const std::uint64_t timeline = begin(job);
  job.received(worker, finished(timeline, 0), start);
  const auto ordered = cuts(job.received(worker, leaving(timeline, 0), start));
  job.received(first_server, saved(ordered.at(first_server), {{0, 2}}), start);
  const Commands last = job.received(second_server, saved(ordered.at(second_server), {{0, 1}}), start);
  EXPECT_EQ(commit(last), nullptr);
  EXPECT_TRUE(cuts(last).empty());
  EXPECT_TRUE(job.drained()) << "nothing more can be committed";

  job.received(worker + 1, hello(wire::WORKER, 1), start);
  job.received(worker + 1, finished(timeline, 1), start);
  EXPECT_EQ(cuts(job.received(worker + 1, leaving(timeline, 0), start)).at(first_server).version(), 2U);
  EXPECT_FALSE(job.drained());
}

TEST(Job, RestsWhereNobodyWorksForAWhile) {
  Coordinator job = coordinator(false);
  const std::uint64_t timeline = begin(job);
  job.received(worker, finished(timeline, 0), start);
  job.closed(worker);
  EXPECT_TRUE(cuts(job.tick(start)).empty());
  EXPECT_TRUE(cuts(tick_until(job, start, start + std::chrono::seconds(5))).empty());
  EXPECT_EQ(cuts(job.tick(start + std::chrono::seconds(6))).size(), 2U);
}

// The time in which it stood still shows nothing of the workers: one may be about to come back.
TEST(Job, DoesNotRestBecauseTheCoordinatorStoodStill) {
  Coordinator job = coordinator(false);
  const std::uint64_t timeline = begin(job);
  job.received(worker, finished(timeline, 0), start);
  job.closed(worker);
  job.tick(start);
  const Instant awake = start + std::chrono::seconds(100);
  EXPECT_TRUE(cuts(job.tick(awake)).empty());
  EXPECT_TRUE(cuts(tick_until(job, awake, awake + std::chrono::seconds(5))).empty());
  EXPECT_EQ(cuts(job.tick(awake + std::chrono::seconds(6))).size(), 2U);
}

TEST(LeavingWorker, TakesNoMoreBatchesAndFinishesTheOneAtHand) {
  Worker one(false, 4, {ServerRange{0, 1}}, 1);
  one.coordinator_is(10);
  Frame assignment;
  assignment.message.mutable_assignment()->set_timeline(1);
  assignment.message.mutable_assignment()->set_total_batches(9);
  assignment.message.mutable_assignment()->set_lane_count(4);
  assignment.message.mutable_assignment()->add_servers()->set_address("ps");
  one.received(10, assignment);
  one.connected(0, 11);
  Frame grant;
  grant.message.mutable_grant()->set_timeline(1);
  grant.message.mutable_grant()->add_batches(0);
  grant.message.mutable_grant()->add_batches(1);
  one.received(10, grant);
  EXPECT_TRUE(one.leave().empty());
  grant.message.mutable_grant()->clear_batches();
  grant.message.mutable_grant()->add_batches(2);
  EXPECT_TRUE(one.received(10, grant).empty());

  Frame parameters;
  parameters.message.mutable_parameters()->set_timeline(1);
  parameters.tail = Tail({0});
  one.received(11, parameters);
  one.computed({{Range{0, 4}, std::make_shared<Floats>(1, 0.0f), 1, 0}});
  Frame applied;
  applied.message.mutable_applied()->set_timeline(1);
  const Worker::Commands last = one.received(11, applied);
  ASSERT_EQ(last.size(), 3U);
  EXPECT_EQ(std::get<Worker::Send>(last[0]).message.finished().batch(), 0U);
  EXPECT_TRUE(std::get<Worker::Send>(last[1]).message.has_leaving());
  EXPECT_TRUE(std::holds_alternative<Worker::Leave>(last[2]));
}

}  // namespace
}  // namespace carrack::train
