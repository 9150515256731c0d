// Async, message by message: a worker, two parameter servers, and what the coordinator grants.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tests/trainer/comm/messages.h"
#include "trainer/comm/protocol/parameter_server.h"
#include "trainer/comm/protocol/staleness.h"
#include "trainer/comm/protocol/worker.h"

namespace carrack::train {
namespace {

constexpr std::uint64_t timeline = 1;
constexpr PeerId coordinator_peer = 9;

std::vector<Worker::Send> sent_in(const Worker::Commands& commands) {
  std::vector<Worker::Send> all;
  for (const Worker::Command& command : commands) {
    if (const auto* send = std::get_if<Worker::Send>(&command)) all.push_back(*send);
  }
  return all;
}

const Worker::Compute* compute_in(const Worker::Commands& commands) {
  const auto found = std::ranges::find_if(
      commands, [](const Worker::Command& command) { return std::holds_alternative<Worker::Compute>(command); });
  return found == commands.end() ? nullptr : &std::get<Worker::Compute>(*found);
}

// A worker of two servers, with one parameter each.
class AsyncWorker : public testing::Test {
 protected:
  AsyncWorker() {
    worker_.coordinator_is(coordinator_peer);
    Frame assignment;
    assignment.message.mutable_assignment()->set_timeline(timeline);
    for (const std::uint32_t index : {0u, 1u}) {
      assignment.message.mutable_assignment()->add_servers()->set_index(index);
      assignment.message.mutable_assignment()->mutable_servers()->rbegin()->set_address("server");
    }
    worker_.received(coordinator_peer, assignment);
    for (const std::uint32_t index : {0u, 1u}) worker_.connected(index, first_server + index);
  }

  Worker::Commands grant(const std::vector<std::uint64_t>& batches) {
    Frame frame;
    frame.message.mutable_grant()->set_timeline(timeline);
    for (const std::uint64_t batch : batches) frame.message.mutable_grant()->add_batches(batch);
    return worker_.received(coordinator_peer, frame);
  }

  Worker::Commands parameters(PeerId server, std::uint64_t version, std::uint64_t want) {
    Frame frame;
    frame.message.mutable_parameters()->set_timeline(timeline);
    frame.message.mutable_parameters()->set_version(version);
    frame.message.mutable_parameters()->set_id(want);
    frame.tail = Tail(Floats{static_cast<float>(version)});
    return worker_.received(server, std::move(frame));
  }

  Worker::Commands applied(PeerId server, std::uint64_t batch, std::uint64_t staleness) {
    Frame frame;
    frame.message.mutable_applied()->set_timeline(timeline);
    frame.message.mutable_applied()->set_batch(batch);
    frame.message.mutable_applied()->set_staleness(staleness);
    return worker_.received(server, std::move(frame));
  }

  Worker::Commands computed() { return worker_.computed({{Range{0, 4}, std::make_shared<Floats>(2, 1.0f), 8, 2.0}}); }

  // Grants these batches, the first of which is then to be computed from parameters of the versions 5 and 6.
  void begin(const std::vector<std::uint64_t>& batches) {
    const std::vector<Worker::Send> wants = sent_in(grant(batches));
    ASSERT_EQ(wants.size(), 2u);
    EXPECT_EQ(compute_in(parameters(first_server, 5, wants[0].message.want().id())), nullptr);
    const Worker::Commands commands = parameters(second_server, 6, wants[1].message.want().id());
    const Worker::Compute* compute = compute_in(commands);
    ASSERT_NE(compute, nullptr);
    EXPECT_EQ(compute->batch, batches.front());
  }

  Worker worker_{false, 4, {{0, 1}, {1, 1}}, 2};
};

TEST_F(AsyncWorker, WantsTheNextParametersWithItsPush) {
  begin({3, 4});
  const std::vector<Worker::Send> pushes = sent_in(computed());
  ASSERT_EQ(pushes.size(), 2u) << "a push to each server, and nothing else";
  EXPECT_EQ(pushes[0].message.push().version(), 5u);
  EXPECT_EQ(pushes[1].message.push().version(), 6u);
  EXPECT_NE(pushes[0].message.push().want(), 0u);
  EXPECT_NE(pushes[1].message.push().want(), pushes[0].message.push().want());

  EXPECT_TRUE(applied(first_server, 3, 0).empty());
  EXPECT_TRUE(parameters(first_server, 7, pushes[0].message.push().want()).empty());
  EXPECT_TRUE(parameters(second_server, 9, pushes[1].message.push().want()).empty()) << "one has not applied it";
  const Worker::Commands commands = applied(second_server, 3, 2);
  ASSERT_EQ(sent_in(commands).size(), 1u);
  EXPECT_EQ(sent_in(commands)[0].message.finished().batch(), 3u);
  EXPECT_EQ(sent_in(commands)[0].message.finished().staleness(), 2u) << "the largest";
  ASSERT_NE(compute_in(commands), nullptr);
  EXPECT_EQ(compute_in(commands)->batch, 4u);
}

TEST_F(AsyncWorker, WaitsForParametersThatComeBehindTheLastApplied) {
  begin({3, 4});
  const std::vector<Worker::Send> pushes = sent_in(computed());
  applied(first_server, 3, 0);
  EXPECT_EQ(compute_in(applied(second_server, 3, 0)), nullptr);
  EXPECT_EQ(compute_in(parameters(first_server, 7, pushes[0].message.push().want())), nullptr);
  EXPECT_NE(compute_in(parameters(second_server, 7, pushes[1].message.push().want())), nullptr);
}

TEST_F(AsyncWorker, WantsParametersAnewForABatchThatIsGrantedLater) {
  begin({3});
  const std::vector<Worker::Send> pushes = sent_in(computed());
  EXPECT_EQ(pushes.at(0).message.push().want(), 0u);
  grant({4});
  applied(first_server, 3, 0);
  const Worker::Commands commands = applied(second_server, 3, 0);
  EXPECT_EQ(compute_in(commands), nullptr) << "it has only those that it has used";
  const std::vector<Worker::Send> sent = sent_in(commands);
  ASSERT_EQ(sent.size(), 3u);
  EXPECT_TRUE(sent[0].message.has_finished());
  EXPECT_TRUE(sent[1].message.has_want() && sent[2].message.has_want());
}

TEST_F(AsyncWorker, DoesABatchAgainIfAServerIsLostBeforeItAnswers) {
  begin({3, 4});
  const std::vector<Worker::Send> pushes = sent_in(computed());
  applied(first_server, 3, 0);
  parameters(first_server, 7, pushes[0].message.push().want());
  worker_.closed(second_server);
  const std::vector<Worker::Send> wants = sent_in(worker_.connected(1, 20));
  ASSERT_EQ(wants.size(), 2u);
  EXPECT_EQ(compute_in(parameters(first_server, 7, wants[0].message.want().id())), nullptr);
  const Worker::Commands commands = parameters(20, 8, wants[1].message.want().id());
  ASSERT_NE(compute_in(commands), nullptr);
  EXPECT_EQ(compute_in(commands)->batch, 3u);
}

// A server of one parameter that two workers push to, in both modes.
class Server : public testing::TestWithParam<Consistency> {
 protected:
  Server() {
    server_.coordinator_is(coordinator_peer);
    Frame load;
    load.message.mutable_load()->set_timeline(timeline);
    server_.received(coordinator_peer, load);
    ShardState state;
    state.parameters = std::make_shared<const Floats>(1, 0.0f);
    server_.loaded(timeline, std::move(state));
    Frame limit;
    limit.message.mutable_limit()->set_timeline(timeline);
    limit.message.mutable_limit()->set_version(100);
    server_.received(coordinator_peer, limit);
    for (const std::uint32_t index : {0u, 1u}) {
      Frame frame{hello(wire::WORKER, index), {}};
      server_.received(stream_of(index), frame);
    }
  }

  static PeerId stream_of(std::uint32_t worker) { return 20 + worker; }

  // What the workers get for it.
  std::vector<ParameterServer::Send> push(std::uint32_t worker, wire::Push push) {
    push.set_timeline(timeline);
    push.set_records(1);
    Frame frame;
    *frame.message.mutable_push() = std::move(push);
    frame.tail = Tail(Floats{1});
    std::vector<ParameterServer::Send> answers;
    for (ParameterServer::Command& command : server_.received(stream_of(worker), std::move(frame))) {
      auto* send = std::get_if<ParameterServer::Send>(&command);
      if (send != nullptr && send->peer != coordinator_peer) answers.push_back(std::move(*send));
    }
    return answers;
  }

 private:
  ParameterServer server_{
      {.job_uid = "job", .workers_max = 2, .training = {.lanes = 4, .optimizer = Sgd{1}, .consistency = GetParam()}}};
};

wire::Push push_of(std::uint64_t batch, std::uint64_t version, std::uint64_t want) {
  wire::Push push;
  push.set_batch(batch);
  push.set_lane_count(4);
  push.set_version(version);
  push.set_want(want);
  return push;
}

class AsyncServer : public Server {};
INSTANTIATE_TEST_SUITE_P(Async, AsyncServer, testing::Values(Consistency::async));

TEST_P(AsyncServer, AnswersAPushWithTheNewestParameters) {
  const auto answers = push(0, push_of(4, 0, 17));
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].message.applied().batch(), 4u);
  EXPECT_EQ(answers[1].message.parameters().id(), 17u);
  EXPECT_EQ(answers[1].message.parameters().version(), 1u);
  EXPECT_EQ(answers[1].tail.values()[0], -1);
  EXPECT_EQ(push(0, push_of(5, 1, 0)).size(), 1u) << "it wants none";
}

TEST_P(AsyncServer, SaysHowStaleAPushIs) {
  EXPECT_EQ(push(0, push_of(0, 0, 0)).at(0).message.applied().staleness(), 0u);
  EXPECT_EQ(push(1, push_of(1, 0, 0)).at(0).message.applied().staleness(), 1u);
  EXPECT_EQ(push(1, push_of(2, 0, 0)).at(0).message.applied().staleness(), 2u);
  EXPECT_EQ(push(0, push_of(2, 0, 0)).at(0).message.applied().staleness(), 0u) << "it has the batch";
  EXPECT_EQ(push(0, push_of(3, 50, 0)).at(0).message.applied().staleness(), 0u) << "of before it has loaded a commit";
}

TEST_P(AsyncServer, RefusesThePushOfABatchThatNoJobHas) {
  for (int tries = 0; tries < 2; ++tries) {
    const auto answers = push(0, push_of(batch_end_max, 0, 0));
    ASSERT_EQ(answers.size(), 1u);
    EXPECT_TRUE(answers[0].message.has_refused());
  }
  EXPECT_EQ(push(0, push_of(0, 0, 0)).at(0).message.applied().staleness(), 0u) << "nothing was applied";
}

class SyncServer : public Server {};
INSTANTIATE_TEST_SUITE_P(Sync, SyncServer, testing::Values(Consistency::sync));

TEST_P(SyncServer, AnswersAPushOnceItsStepIsComplete) {
  wire::Push half = push_of(0, 0, 17);
  half.set_lane_count(2);
  EXPECT_TRUE(push(0, half).empty());
  half.set_first_lane(2);
  half.set_want(18);
  const auto answers = push(1, half);
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].peer, stream_of(0));
  EXPECT_EQ(answers[0].message.parameters().id(), 17u);
  EXPECT_EQ(answers[1].peer, stream_of(1));
  EXPECT_EQ(answers[1].message.parameters().id(), 18u);
  EXPECT_EQ(answers[1].message.parameters().version(), 1u);
}

TEST_P(SyncServer, SendsNothingBehindARefusal) {
  wire::Push wrong = push_of(0, 0, 17);
  wrong.set_first_lane(4);
  const auto answers = push(0, wrong);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_TRUE(answers[0].message.has_refused());
}

TEST(GrantsWithABound, StayCloseToTheFirstBatchThatIsNotDone) {
  CoordinatorSettings with = settings(false);
  with.batches_ahead_max = 1;
  Coordinator job(with, {});
  const std::uint64_t timeline_of_job = begin(job);
  wire::Message second = hello(wire::WORKER, 1);
  second.mutable_hello()->set_leases(4);
  EXPECT_TRUE(grants(job.received(4, second, start)).empty()) << "the first worker has 0 and 1";
  EXPECT_EQ(grants(job.received(worker, finished(timeline_of_job, 1), start)), std::vector<std::uint64_t>());
  EXPECT_EQ(grants(job.received(worker, finished(timeline_of_job, 0), start)), (std::vector<std::uint64_t>{2, 3}));
}

TEST(Staleness, IsCountedByWorker) {
  Coordinator job = coordinator(false);
  const std::uint64_t timeline_of_job = begin(job);
  EXPECT_TRUE(job.staleness().empty());
  for (const std::uint64_t batch : {0u, 1u}) {
    wire::Message message = finished(timeline_of_job, batch);
    message.mutable_finished()->set_staleness(5 * batch);
    job.received(worker, message, start);
  }
  ASSERT_EQ(job.staleness().size(), 1u);
  const StalenessCounts& counts = job.staleness().at(0);
  EXPECT_EQ(counts.batches[0], 1u);
  EXPECT_EQ(counts.batches[3], 1u) << "from 4 to 7";
  EXPECT_EQ(counts.most, 5u);
  EXPECT_EQ(total_of(job.staleness()), counts);
}

}  // namespace
}  // namespace carrack::train
