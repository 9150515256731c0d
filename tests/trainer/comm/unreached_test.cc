// Which members a coordinator replaces because they cannot be reached, or do not reach others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/trainer/comm/hung_job.h"

namespace carrack::train {
namespace {

using std::chrono::seconds;
using testing::IsEmpty;
using testing::SizeIs;

TEST(CutOffWorker, IsReplacedIfAnotherReachesTheServer) {
  Job job;
  job.pass(seconds(60));
  job.loses(worker, 1);
  job.pass(seconds(14));
  EXPECT_THAT(job.job.hung(), IsEmpty());
  job.pass(seconds(1));
  const std::string why = "has not reached parameter server 1 for 15 s, and worker 1 reaches it";
  EXPECT_EQ(job.job.hung(), (std::vector<Hung>{{first, 1, why}}));
  EXPECT_EQ(job.take_refused(), (std::map<PeerId, std::string>{{worker, why}}));
}

TEST(CutOffWorker, IsNoneThatReachesItAgain) {
  Job job;
  job.pass(seconds(60));
  job.loses(worker, 1);
  job.pass(seconds(14));
  job.reaches(worker, 1);
  job.pass(seconds(60));
  EXPECT_THAT(job.job.hung(), IsEmpty());
}

TEST(CutOffWorker, IsNoneInTheFirstMinuteOfACoordinator) {
  Job job;
  job.loses(worker, 1);
  job.pass(seconds(59));
  EXPECT_THAT(job.job.hung(), IsEmpty());
  job.pass(seconds(1));
  EXPECT_THAT(job.job.hung(), SizeIs(1));
}

TEST(CutOffWorker, IsAMemberAgainOnceItReachesTheServer) {
  for (const bool server_is_new : {false, true}) {
    Job job;
    job.pass(seconds(60));
    job.loses(worker, 1);
    job.pass(seconds(15));
    job.is_now(worker, third_worker);
    job.take_refused();
    job.join(third_worker, 0);
    EXPECT_THAT(job.take_refused(), SizeIs(1));
    job.job.closed(second_server);
    wire::Message back = hello(wire::PS, 1);
    if (server_is_new) back.mutable_hello()->set_incarnation(2);
    if (!server_is_new) job.reaches(third_worker, 1);
    job.join(third_worker, 0);
    EXPECT_THAT(job.take_refused(), SizeIs(1)) << "that server is not here";
    job.job.received(second_server, back, job.now);
    job.join(third_worker, 0);
    EXPECT_THAT(job.take_refused(), IsEmpty());
    EXPECT_THAT(job.job.hung(), IsEmpty());
  }
}

TEST(CutOffWorker, CountsFromWhenItCame) {
  Job job;
  job.pass(seconds(50));
  job.job.closed(worker);
  job.loses(worker, 1);
  job.pass(seconds(15));
  job.is_now(worker, third_worker);
  job.join(third_worker, 0);
  job.pass(seconds(14));
  EXPECT_THAT(job.job.hung(), IsEmpty());
  job.pass(seconds(1));
  EXPECT_THAT(job.job.hung(), SizeIs(1));
}

TEST(CutOffWorker, IsNoneInTheFirstMinuteAfterTheCoordinatorStoodStill) {
  Job job;
  job.pass(seconds(60));
  job.loses(worker, 1);
  job.pass(seconds(10));
  job.now += seconds(5);
  job.pass(seconds(60));
  EXPECT_THAT(job.job.hung(), IsEmpty());
  job.pass(seconds(1));
  EXPECT_THAT(job.job.hung(), SizeIs(1));
}

TEST(UnreachedServer, IsReplacedIfNoWorkerReachesIt) {
  Job job;
  job.pass(seconds(60));
  job.loses(worker, 1);
  job.loses(second_worker, 1);
  job.pass(seconds(15));
  EXPECT_EQ(job.job.hung(), (std::vector<Hung>{{server_1, 1, "no worker reaches it"}}));
  EXPECT_THAT(job.take_refused(), IsEmpty());
  // It keeps its place, so that training goes on if it is reached again.
  EXPECT_TRUE(job.job.is_training());
  job.reaches(worker, 1);
  job.pass(seconds(1));
  EXPECT_THAT(job.job.hung(), IsEmpty());
}

// Which it says in its Hello, before its first Alive.
TEST(UnreachedServer, IsNotReplacedOnceAWorkerComesThatReachesIt) {
  Job job;
  job.pass(seconds(60));
  job.loses(worker, 1);
  job.loses(second_worker, 1);
  job.pass(seconds(15));
  ASSERT_THAT(job.job.hung(), SizeIs(1));
  job.is_now(worker, third_worker);
  job.reaches(third_worker, 1);
  job.join(third_worker, 0);
  job.job.tick(job.now);
  EXPECT_THAT(job.job.hung(), IsEmpty());
}

TEST(UnreachedServer, IsNotKnownWhileAWorkerDoesNotSay) {
  Job job;
  job.pass(seconds(60));
  job.loses(worker, 1);
  job.says_nothing(second_worker);
  job.pass(seconds(60));
  EXPECT_THAT(job.job.hung(), IsEmpty());
}

// A worker whose thread hangs does not notice that it no longer reaches a server, or that the server has a new process.
TEST(UnreachedServer, IsKnownThoughAnotherWorkerHangs) {
  Job job;
  job.awaits(worker, 0);
  job.computes(second_worker, 0);
  job.hangs(second_worker);
  job.pass(seconds(60));
  EXPECT_THAT(job.job.hung(), IsEmpty());
  job.loses(worker, 1);
  job.pass(seconds(15));
  EXPECT_EQ(job.job.hung(), (std::vector<Hung>{{server_1, 1, "no worker reaches it"}}));
  EXPECT_THAT(job.take_refused(), IsEmpty());
  // Once the first worker is done, the other one is found.
  job.reaches(worker, 1);
  job.awaits(worker, 1);
  job.pass(seconds(60));
  ASSERT_THAT(job.job.hung(), SizeIs(1));
  EXPECT_EQ(job.job.hung().front().member, second);
}

// `worker` alone can tell that it does not reach the server, nor its replacement.
void expect_replaced_in_turn(Job& job) {
  job.loses(worker, 1);
  job.pass(seconds(15));
  EXPECT_EQ(job.job.hung(), (std::vector<Hung>{{server_1, 1, "no worker reaches it"}}));
  // The worker names the replacement by the old incarnation, so both have incarnation 1 here.
  job.job.closed(second_server);
  job.job.received(second_server, hello(wire::PS, 1), job.now);
  EXPECT_THAT(job.job.hung(), IsEmpty());
  job.pass(seconds(60));
  EXPECT_EQ(job.job.hung(),
            (std::vector<Hung>{{first, 1, "cannot reach parameter server 1, whose process is a new one"}}));
}

TEST(UnreachedServer, OrTheOnlyWorkerIsReplacedInTurn) {
  Job job;
  job.job.closed(second_worker);
  job.leaves(second_worker);
  job.pass(seconds(60));
  expect_replaced_in_turn(job);
}

TEST(UnreachedServer, OrTheOnlyWorkerThatDoesNotHangIsReplacedInTurn) {
  Job job;
  job.awaits(worker, 0);
  job.computes(second_worker, 0);
  job.hangs(second_worker);
  job.pass(seconds(60));
  expect_replaced_in_turn(job);
}

TEST(UnreachedServer, IsKnownThoughAnotherWorkerHasNotLearnedOfItsNewProcess) {
  Job job;
  job.awaits(worker, 0);
  job.computes(second_worker, 0);
  job.pass(seconds(60));
  job.job.closed(second_server);
  wire::Message second_process = hello(wire::PS, 1);
  second_process.mutable_hello()->set_incarnation(2);
  job.job.received(second_server, second_process, job.now);
  job.knows(worker, 1, 2);
  job.loses(worker, 1);
  job.pass(seconds(14));
  EXPECT_THAT(job.job.hung(), IsEmpty());
  job.pass(seconds(1));
  EXPECT_EQ(job.job.hung(), (std::vector<Hung>{{server_1, 2, "no worker reaches it"}}));
}

// It computes, or waits for records, on another thread than the one that checks its streams.
TEST(UnreachedServer, IsReachedByAWorkerThatComputesForLong) {
  for (const wire::Work::Kind kind : {wire::Work::COMPUTING, wire::Work::RECORDS}) {
    Job job;
    job.awaits(worker, 0);
    job.computes(second_worker, 0, kind);
    job.pass(seconds(120));
    job.loses(worker, 1);
    job.pass(seconds(15));
    ASSERT_THAT(job.job.hung(), SizeIs(1));
    EXPECT_EQ(job.job.hung().front().member, first);
  }
}

TEST(MissingServer, IsReplacedAfterAMinute) {
  Job job;
  job.pass(seconds(60));
  job.job.closed(first_server);
  job.pass(seconds(59));
  EXPECT_THAT(job.job.hung(), IsEmpty());
  job.pass(seconds(1));
  EXPECT_EQ(job.job.hung(), (std::vector<Hung>{{server_0, 1, "has opened no new stream to the coordinator for 60 s"}}));
  job.job.received(first_server, hello(wire::PS, 0), job.now);
  EXPECT_THAT(job.job.hung(), IsEmpty());
}

// All ended streams while the coordinator stood still, and it hears first of that.
TEST(MissingServer, CountsFromWhenTheCoordinatorGoesOn) {
  Job job;
  job.pass(seconds(60));
  job.now += seconds(100);
  job.job.closed(first_server);
  job.pass(seconds(60));
  EXPECT_THAT(job.job.hung(), IsEmpty());
  job.pass(seconds(1));
  EXPECT_EQ(job.job.hung(), (std::vector<Hung>{{server_0, 1, "has opened no new stream to the coordinator for 60 s"}}));
}

TEST(MissingServer, IsNoneThatComesBack) {
  Job job;
  job.pass(seconds(60));
  job.job.closed(first_server);
  job.pass(seconds(59));
  job.job.received(first_server, hello(wire::PS, 0), job.now);
  job.pass(seconds(60));
  EXPECT_THAT(job.job.hung(), IsEmpty());
}

}  // namespace
}  // namespace carrack::train
