// Jobs whose end nobody knows when they begin, message by message.
#include <gtest/gtest.h>

#include "tests/trainer/comm/messages.h"
#include "trainer/comm/protocol/worker.h"

namespace carrack::train {
namespace {

bool ends(const Commands& commands) {
  return std::any_of(commands.begin(), commands.end(),
                     [](const Command& one) { return std::holds_alternative<EndProcess>(one); });
}

// Both servers have saved; the cut is committed.
Commands committed(Coordinator& job, std::uint64_t timeline, std::uint64_t number, std::uint64_t version) {
  wire::Cut cut;
  cut.set_timeline(timeline);
  cut.set_number((std::uint64_t{1} << 32) | number);
  EXPECT_EQ(commit(job.received(first_server, saved(cut, {}), start)), nullptr);
  const Commands commands = job.received(second_server, saved(cut, {}), start);
  EXPECT_NE(commit(commands), nullptr);
  return job.committed(cut.number(), Commit{"a manifest", 0, version, {}});
}

TEST(JobOfUnknownLength, IsCutAsIfItHadNoEndAndThenAtItsEnd) {
  Coordinator job = coordinator(true, std::nullopt);
  const std::uint64_t timeline = begin(job);
  EXPECT_EQ(apply_steps(job, timeline, 0, 10).version(), 10U);
  EXPECT_EQ(apply_steps(job, timeline, 10, 15).version(), 20U);
  const Commands known = job.total_known(15);
  ASSERT_EQ(cuts(known).size(), 2U);
  EXPECT_EQ(cuts(known).at(first_server).version(), 15U);
  EXPECT_FALSE(ends(committed(job, timeline, 1, 10)));
  wire::Cut dropped;
  dropped.set_timeline(timeline);
  dropped.set_number((std::uint64_t{1} << 32) | 2);
  EXPECT_TRUE(job.received(first_server, saved(dropped, {}), start).empty());
  EXPECT_TRUE(ends(committed(job, timeline, 3, 15)));
}

TEST(JobOfUnknownLength, EndsWhereAllWasCommittedBeforeItWasKnown) {
  Coordinator job = coordinator(true, std::nullopt);
  const std::uint64_t timeline = begin(job);
  apply_steps(job, timeline, 0, 10);
  committed(job, timeline, 1, 10);
  EXPECT_FALSE(ends(job.tick(start)));
  EXPECT_TRUE(cuts(job.total_known(10)).empty());
  EXPECT_TRUE(ends(job.tick(start)));
}

TEST(JobThatStopsEarly, EndsWithACommitOfWhatIsGivenOut) {
  Coordinator job = coordinator(true, 1000);
  const std::uint64_t timeline = begin(job);
  apply_steps(job, timeline, 0, 10);
  committed(job, timeline, 1, 10);
  job.stop_early();
  const std::uint64_t last = *job.total_batches();
  EXPECT_GE(last, 10U);
  EXPECT_LE(last, 20U) << "the limit that the servers have";
  EXPECT_EQ(apply_steps(job, timeline, 10, last).version(), last);
  EXPECT_TRUE(ends(committed(job, timeline, 2, last)));
}

TEST(JobThatStopsEarly, EndsAtOnceIfAllIsCommittedBeforeItBegins) {
  Coordinator job(settings(true, 1000), Commit{"a manifest", 0, 10, {}});
  job.stop_early();
  EXPECT_EQ(job.total_batches(), 10U);
}

TEST(JobOfUnknownLength, TellsWorkersSo) {
  Coordinator job = coordinator(true, std::nullopt);
  begin(job);
  for (const Command& command : job.received(4, hello(wire::WORKER, 1), start)) {
    const auto* sent = std::get_if<SendTo>(&command);
    if (sent == nullptr || !sent->message.has_assignment()) continue;
    EXPECT_EQ(sent->message.assignment().total_batches(), 0U);
  }
}

// It has come to the end of the job, and its edge says so.
Worker at_the_end() {
  Worker one(true, 4, {ServerRange{0, 1}}, 1);
  one.coordinator_is(10);
  Frame assignment;
  assignment.message.mutable_assignment()->set_timeline(1);
  assignment.message.mutable_assignment()->set_lane_count(4);
  assignment.message.mutable_assignment()->add_servers()->set_address("ps");
  one.received(10, assignment);
  one.connected(0, 11);
  Frame parameters;
  parameters.message.mutable_parameters()->set_timeline(1);
  parameters.message.mutable_parameters()->set_version(7);
  parameters.tail = Tail({0});
  const Worker::Commands commands = one.received(11, parameters);
  EXPECT_EQ(std::get<Worker::Compute>(commands.at(0)).batch, 7U);
  return one;
}

TEST(WorkerAtTheEnd, HasNothingToComputeAnyMore) {
  Worker one = at_the_end();
  EXPECT_TRUE(one.ended(7).empty());
  Frame assignment;
  assignment.message.mutable_assignment()->set_timeline(1);
  assignment.message.mutable_assignment()->set_lane_count(2);
  assignment.message.mutable_assignment()->add_servers()->set_address("ps");
  ASSERT_EQ(one.received(10, assignment).size(), 1U) << "it asks";
  Frame parameters;
  parameters.message.mutable_parameters()->set_timeline(1);
  parameters.message.mutable_parameters()->set_version(7);
  parameters.tail = Tail({0});
  EXPECT_TRUE(one.received(11, parameters).empty());
}

TEST(WorkerAtTheEnd, LeavesWhereItWasAskedToMeanwhile) {
  Worker one = at_the_end();
  EXPECT_TRUE(one.leave().empty());
  const Worker::Commands commands = one.ended(7);
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_EQ(std::get<Worker::Send>(commands[0]).message.leaving().version(), 7U);
  EXPECT_TRUE(std::holds_alternative<Worker::Leave>(commands[1]));
}

}  // namespace
}  // namespace carrack::train
