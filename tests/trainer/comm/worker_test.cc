// Workers beside a parameter server, with the messages in the order in which real streams carry them.
#include "trainer/comm/protocol/worker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "trainer/comm/protocol/parameter_server.h"

namespace carrack::train {
namespace {

constexpr PeerId coordinator = 1;
constexpr std::uint64_t timeline = 1;
constexpr std::uint32_t all_lanes = 2;

// One parameter of one server, and workers that compute on the thread that handles their messages, as real ones do.
class TwoWorkers : public testing::Test {
 protected:
  struct WorkerProcess {
    Worker machine{true, static_cast<int>(all_lanes), {{0, 1}}, 1};
    std::deque<std::pair<PeerId, Frame>> inbox;
    std::vector<std::uint64_t> computed;  // batches
  };

  TwoWorkers() {
    server_.coordinator_is(coordinator);
    Frame load;
    load.message.mutable_load()->set_timeline(timeline);
    server_.received(coordinator, load);
    ShardState state;
    state.parameters = std::make_shared<const Floats>(1, 0.0f);
    server_.loaded(timeline, std::move(state));
    Frame cut;
    cut.message.mutable_cut()->set_timeline(timeline);
    cut.message.mutable_cut()->set_number(1);
    cut.message.mutable_cut()->set_version(1000);
    server_.received(coordinator, cut);
    for (WorkerProcess& worker : workers_) worker.machine.coordinator_is(coordinator);
  }

  void assign(std::size_t worker, std::uint32_t first_lane, std::uint32_t lanes) {
    Frame frame;
    wire::Assignment& assignment = *frame.message.mutable_assignment();
    assignment.set_timeline(timeline);
    assignment.set_first_lane(first_lane);
    assignment.set_lane_count(lanes);
    wire::Server& server = *assignment.add_servers();
    server.set_incarnation(1);
    server.set_address("server");
    workers_[worker].inbox.emplace_back(coordinator, std::move(frame));
  }

  // Handles the oldest message of this worker, and whatever follows from it on the server.
  void handle_one(std::size_t worker) {
    auto [from, frame] = std::move(workers_[worker].inbox.front());
    workers_[worker].inbox.pop_front();
    carry_out(worker, workers_[worker].machine.received(from, std::move(frame)));
  }

  void handle_all() {
    for (int left = 1000; left > 0; --left) {
      for (std::size_t worker = 0; worker < workers_.size(); ++worker) {
        if (!workers_[worker].inbox.empty()) handle_one(worker);
      }
    }
  }

  WorkerProcess& worker(std::size_t index) { return workers_[index]; }
  std::uint64_t version() const { return server_.held().version(); }
  void stop_after(std::uint64_t batches) { batches_ = batches; }

 private:
  static PeerId stream_of(std::size_t worker) { return 10 + worker; }

  void carry_out(std::size_t worker, const Worker::Commands& commands) {
    for (const Worker::Command& command : commands) {
      if (const auto* send = std::get_if<Worker::Send>(&command)) deliver(worker, *send);
      if (std::holds_alternative<Worker::Connect>(command)) connect(worker);
      if (const auto* compute = std::get_if<Worker::Compute>(&command)) this->compute(worker, *compute);
    }
  }

  void connect(std::size_t worker) {
    Frame frame;
    wire::Hello& hello = *frame.message.mutable_hello();
    hello.set_job_uid("job");
    hello.set_attempt(1);
    hello.set_role(wire::WORKER);
    hello.set_index(static_cast<std::uint32_t>(worker));
    hello.mutable_to()->set_incarnation(1);
    server_.received(stream_of(worker), frame);
    carry_out(worker, workers_[worker].machine.connected(0, stream_of(worker)));
  }

  void compute(std::size_t worker, const Worker::Compute& compute) {
    if (compute.batch >= batches_) return carry_out(worker, workers_[worker].machine.ended(batches_));
    workers_[worker].computed.push_back(compute.batch);
    carry_out(worker,
              workers_[worker].machine.computed({{compute.lanes, std::make_shared<Floats>(1, 0.0f), 1, 0, false}}));
  }

  // A message to the server. Its answers wait in the inboxes of the workers.
  void deliver(std::size_t worker, const Worker::Send& send) {
    if (send.peer == coordinator) return;
    Frame frame{send.message, send.tail};
    for (const ParameterServer::Command& command : server_.received(stream_of(worker), std::move(frame))) {
      const auto* answer = std::get_if<ParameterServer::Send>(&command);
      if (answer == nullptr || answer->peer == coordinator) continue;
      workers_[answer->peer - stream_of(0)].inbox.emplace_back(answer->peer, Frame{answer->message, answer->tail});
    }
  }

  ParameterServer server_{{.job_uid = "job",
                           .attempt = 1,
                           .incarnation = 1,
                           .workers_max = 2,
                           .training = {.lanes = static_cast<int>(all_lanes), .optimizer = Sgd{1}}}};
  std::vector<WorkerProcess> workers_ = std::vector<WorkerProcess>(2);
  std::uint64_t batches_ = 0;
};

TEST_F(TwoWorkers, ComputeEachStepOnceAfterOneJoinsDuringAGradient) {
  stop_after(20);
  assign(0, 0, all_lanes);
  handle_one(0);  // It wants parameters, which wait in its inbox.
  // Another worker joins during the gradient. The first one handles that right after the gradient, when its request
  // for the next parameters is under way.
  assign(0, 0, 1);
  assign(1, 1, 1);
  handle_all();
  ASSERT_EQ(version(), 20U);
  EXPECT_LE(worker(0).computed.size(), 21U) << "at most one step again because of the new lanes";
  EXPECT_LE(worker(1).computed.size(), 20U);
}

// A worker with servers of one parameter each, which has received their parameters and is to compute.
Worker computing(std::uint32_t servers, const SharedFloats& received) {
  std::vector<ServerRange> ranges;
  for (std::uint32_t server = 0; server < servers; ++server) ranges.push_back({server, 1});
  Worker one(true, static_cast<int>(all_lanes), ranges, servers);
  one.coordinator_is(coordinator);
  Frame assignment;
  assignment.message.mutable_assignment()->set_timeline(timeline);
  assignment.message.mutable_assignment()->set_lane_count(all_lanes);
  for (std::uint32_t server = 0; server < servers; ++server) {
    assignment.message.mutable_assignment()->add_servers()->set_index(server);
    assignment.message.mutable_assignment()->mutable_servers()->rbegin()->set_address("server");
  }
  one.received(coordinator, assignment);
  for (std::uint32_t server = 0; server < servers; ++server) one.connected(server, 10 + server);
  for (std::uint32_t server = 0; server < servers; ++server) {
    Frame parameters;
    parameters.message.mutable_parameters()->set_timeline(timeline);
    parameters.tail = Tail(received, *received);
    one.received(10 + server, parameters);
  }
  return one;
}

std::vector<Worker::Send> pushes(const Worker::Commands& commands) {
  std::vector<Worker::Send> all;
  for (const Worker::Command& command : commands) {
    const auto* send = std::get_if<Worker::Send>(&command);
    if (send != nullptr && send->message.has_push()) all.push_back(*send);
  }
  return all;
}

TEST(WorkerOfOneServer, CopiesNeitherParametersNorGradients) {
  const auto received = std::make_shared<const Floats>(1, 0.0f);
  Worker one = computing(1, received);
  EXPECT_EQ(one.parameters(), received);
  const auto sum = std::make_shared<Floats>(1, 0.0f);
  const float* values = sum->data();
  Worker::Commands commands = one.computed({{Range{0, all_lanes}, sum, 1, 0, false}});
  auto& push = std::get<Worker::Send>(commands.at(0));
  ASSERT_TRUE(push.message.has_push());
  EXPECT_EQ(std::move(push.tail).take().data(), values);
}

FramePart parameters_of(std::uint64_t version, std::uint64_t want, std::size_t begin, std::size_t end,
                        std::size_t total) {
  wire::Message message;
  message.mutable_parameters()->set_timeline(timeline);
  message.mutable_parameters()->set_version(version);
  message.mutable_parameters()->set_id(want);
  const auto values = std::make_shared<Floats>(total, static_cast<float>(version));
  const auto bytes = std::as_bytes(std::span(*values).subspan(begin, end - begin));
  return {std::make_shared<const wire::Message>(message), {begin, total, {bytes}, values}};
}

bool computes(const Worker::Commands& commands) {
  return std::ranges::any_of(commands, [](const auto& one) { return std::holds_alternative<Worker::Compute>(one); });
}

// A worker of `servers` servers with four parameters each, and the ids of the Wants that it has sent them.
struct AwaitsParameters {
  explicit AwaitsParameters(std::uint32_t servers)
      : one(true, static_cast<int>(all_lanes), ranges(servers), 4 * servers) {
    one.coordinator_is(coordinator);
    one.received(coordinator, assignment(servers));
    for (std::uint32_t server = 0; server < servers; ++server) keep_wants(one.connected(server, 10 + server));
  }

  static std::vector<ServerRange> ranges(std::uint32_t servers) {
    std::vector<ServerRange> all;
    for (std::uint32_t server = 0; server < servers; ++server) all.push_back({4 * server, 4});
    return all;
  }

  static Frame assignment(std::uint32_t servers, std::uint32_t lanes = all_lanes) {
    Frame frame;
    frame.message.mutable_assignment()->set_timeline(timeline);
    frame.message.mutable_assignment()->set_lane_count(lanes);
    for (std::uint32_t server = 0; server < servers; ++server) {
      frame.message.mutable_assignment()->add_servers()->set_index(server);
      frame.message.mutable_assignment()->mutable_servers()->rbegin()->set_address("server");
    }
    return frame;
  }

  void keep_wants(const Worker::Commands& commands) {
    for (const Worker::Command& command : commands) {
      const auto* send = std::get_if<Worker::Send>(&command);
      if (send == nullptr) continue;
      if (send->message.has_want()) wants[send->peer] = send->message.want().id();
      if (send->message.has_push()) wants[send->peer] = send->message.push().want();
    }
  }

  // It receives the parameters of this version, and pushes gradients.
  void compute_step(std::uint64_t version) {
    const std::size_t servers = wants.size();
    for (const auto& [peer, want] : wants) one.received(peer, parameters_of(version, want, 0, 4, 4));
    keep_wants(one.computed({{Range{0, all_lanes}, std::make_shared<Floats>(4 * servers, 0.0f), 1, 0, false}}));
  }

  Worker one;
  std::map<PeerId, std::uint64_t> wants;
};

TEST(WorkerOfPieces, ComputesWhenTheLastOneIsThere) {
  AwaitsParameters worker(1);
  EXPECT_FALSE(computes(worker.one.received(10, parameters_of(5, worker.wants[10], 0, 3, 4))));
  EXPECT_TRUE(computes(worker.one.received(10, parameters_of(5, worker.wants[10], 3, 4, 4))));
  EXPECT_EQ(*worker.one.parameters(), (Floats{5, 5, 5, 5}));
}

TEST(WorkerOfPieces, PutsThoseOfSeveralServersTogether) {
  AwaitsParameters worker(2);
  EXPECT_FALSE(computes(worker.one.received(11, parameters_of(5, worker.wants[11], 0, 1, 4))));
  EXPECT_FALSE(computes(worker.one.received(10, parameters_of(5, worker.wants[10], 0, 4, 4))));
  EXPECT_TRUE(computes(worker.one.received(11, parameters_of(5, worker.wants[11], 1, 4, 4))));
  EXPECT_EQ(*worker.one.parameters(), (Floats{5, 5, 5, 5, 5, 5, 5, 5}));
}

// With other lanes of a step that it has pushed it wants parameters again, so the rest of an answer that is under way
// is not what it computes from.
TEST(WorkerOfPieces, IgnoresTheRestOfAnAnswerToAnEarlierWant) {
  for (const std::uint32_t servers : {1u, 2u}) {
    AwaitsParameters worker(servers);
    worker.compute_step(4);
    const std::uint64_t before = worker.wants[10];
    worker.one.received(10, parameters_of(5, before, 0, 2, 4));
    worker.keep_wants(worker.one.received(coordinator, AwaitsParameters::assignment(servers)));
    ASSERT_NE(worker.wants[10], before);
    EXPECT_FALSE(computes(worker.one.received(10, parameters_of(5, before, 2, 4, 4))));
    if (servers == 2) worker.one.received(11, parameters_of(6, worker.wants[11], 0, 4, 4));
    worker.one.received(10, parameters_of(6, worker.wants[10], 0, 1, 4));
    EXPECT_TRUE(computes(worker.one.received(10, parameters_of(6, worker.wants[10], 1, 4, 4))));
    EXPECT_EQ(*worker.one.parameters(), Floats(4 * servers, 6.0f));
  }
}

const Worker::Compute* compute_in(const Worker::Commands& commands) {
  const auto found = std::ranges::find_if(
      commands, [](const Worker::Command& command) { return std::holds_alternative<Worker::Compute>(command); });
  return found == commands.end() ? nullptr : &std::get<Worker::Compute>(*found);
}

TEST(WorkerOfPieces, KeepsWhatItHasRequestedIfOnlyItsLanesChange) {
  for (const std::uint32_t servers : {1u, 2u}) {
    AwaitsParameters worker(servers);
    if (servers == 2) worker.one.received(11, parameters_of(5, worker.wants[11], 0, 4, 4));
    worker.one.received(10, parameters_of(5, worker.wants[10], 0, 2, 4));
    EXPECT_TRUE(worker.one.received(coordinator, AwaitsParameters::assignment(servers, 1)).empty());
    const Worker::Commands commands = worker.one.received(10, parameters_of(5, worker.wants[10], 2, 4, 4));
    ASSERT_NE(compute_in(commands), nullptr);
    EXPECT_EQ(compute_in(commands)->lanes, (Range{0, 1}));
  }
}

TEST(WorkerOfPieces, RequestsParametersAgainIfMoreThanItsLanesChanges) {
  AwaitsParameters worker(1);
  Frame other = AwaitsParameters::assignment(1);
  other.message.mutable_assignment()->set_timeline(timeline + 1);
  EXPECT_EQ(worker.one.received(coordinator, other).size(), 1U) << "another timeline";
  other.message.mutable_assignment()->mutable_servers(0)->set_incarnation(2);
  const Worker::Commands commands = worker.one.received(coordinator, other);
  ASSERT_EQ(commands.size(), 2U) << "another process of the server";
  EXPECT_TRUE(std::holds_alternative<Worker::Disconnect>(commands[0]));
  EXPECT_TRUE(std::holds_alternative<Worker::Connect>(commands[1]));
}

// What it was to wait for is no longer under way, or no longer enough.
TEST(WorkerOfPieces, RequestsParametersAgainIfItGetsLanesAfterItHadNone) {
  AwaitsParameters worker(1);
  worker.one.received(coordinator, AwaitsParameters::assignment(1, 0));
  worker.one.received(10, parameters_of(5, worker.wants[10], 0, 4, 4));
  EXPECT_EQ(worker.one.received(coordinator, AwaitsParameters::assignment(1)).size(), 1U);
}

// A Compute uses the parameters, whatever a server sends meanwhile without being asked, as those of earlier releases
// do.
TEST(WorkerOfPieces, LeavesTheParametersOfAComputeAsTheyAre) {
  for (const std::uint32_t servers : {1u, 2u}) {
    AwaitsParameters worker(servers);
    for (PeerId peer = 10; peer < 10 + servers; ++peer) {
      worker.one.received(peer, parameters_of(5, worker.wants[peer], 0, 4, 4));
    }
    worker.one.received(10, parameters_of(6, 0, 0, 2, 4));
    worker.one.received(10, parameters_of(6, 0, 2, 4, 4));
    EXPECT_EQ(*worker.one.parameters(), Floats(4 * servers, 5.0f));
  }
}

// The pieces of one answer are of one version: no Compute begins between them.
TEST(WorkerOfPieces, ComputesFromNoRangeOfTwoVersions) {
  AwaitsParameters worker(2);
  worker.one.received(10, parameters_of(5, 0, 0, 4, 4));
  worker.one.received(10, parameters_of(6, 0, 0, 2, 4));
  EXPECT_FALSE(computes(worker.one.received(11, parameters_of(5, worker.wants[11], 0, 4, 4))));
}

TEST(WorkerOfTwoServers, SharesASumBetweenThem) {
  const auto received = std::make_shared<const Floats>(1, 5.0f);
  Worker one = computing(2, received);
  EXPECT_EQ(*one.parameters(), (Floats{5, 5}));
  const auto sum = std::make_shared<Floats>(Floats{1, 2});
  const std::vector<Worker::Send> sent = pushes(one.computed({{Range{0, all_lanes}, sum, 1, 0, false}}));
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[0].tail.values().data(), sum->data());
  EXPECT_EQ(sent[1].tail.values().data(), sum->data() + 1);
}

// Its coordinator may go before it is admitted again.
TEST(WorkerThatIsRefused, ComputesNothingUntilItIsAssignedLanesAnew) {
  const auto received = std::make_shared<const Floats>(1, 5.0f);
  for (const bool in_time : {false, true}) {
    Worker one = computing(1, received);
    Frame refused;
    refused.message.mutable_refused()->set_reason("has computed step 1 for 60 s, and others are done");
    if (in_time) one.received(coordinator, refused);
    one.computed({{Range{0, all_lanes}, std::make_shared<Floats>(Floats{1}), 1, 0, false}});
    if (!in_time) one.received(coordinator, refused);
    one.closed(coordinator);
    Frame parameters;
    parameters.message.mutable_parameters()->set_timeline(timeline);
    parameters.message.mutable_parameters()->set_version(1);
    parameters.tail = Tail(received, *received);
    EXPECT_TRUE(one.received(10, parameters).empty());
    EXPECT_EQ(one.doing(), (Worker::Doing{Worker::Doing::Kind::nothing, timeline}));
  }
}

TEST(WorkerOfTwoServers, SaysWhatItComputesAndWhoseParametersItAwaits) {
  using Doing = Worker::Doing;
  EXPECT_EQ(Worker(true, 2, {{0, 1}}, 1).doing(), Doing());
  const auto received = std::make_shared<const Floats>(1, 5.0f);
  Worker one = computing(2, received);
  EXPECT_EQ(one.doing(), (Doing{Doing::Kind::computes, timeline, 0}));
  one.computed({{Range{0, all_lanes}, std::make_shared<Floats>(Floats{1, 2}), 1, 0, false}});
  EXPECT_EQ(one.doing(), (Doing{Doing::Kind::awaits_parameters, timeline, 1, 0}));
  Frame parameters;
  parameters.message.mutable_parameters()->set_timeline(timeline);
  parameters.message.mutable_parameters()->set_version(1);
  parameters.tail = Tail(received, *received);
  one.received(10, parameters);
  EXPECT_EQ(one.doing(), (Doing{Doing::Kind::awaits_parameters, timeline, 1, 1}));
  one.received(11, parameters);
  EXPECT_EQ(one.doing(), (Doing{Doing::Kind::computes, timeline, 1}));
}

}  // namespace
}  // namespace carrack::train
