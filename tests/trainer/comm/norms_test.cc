// Clipping by norm: what servers report, what the coordinator answers, and when a step is applied.
#include <gtest/gtest.h>

#include "tests/trainer/comm/messages.h"
#include "trainer/comm/protocol/parameter_server.h"

namespace carrack::train {
namespace {

wire::Message norm(std::uint64_t timeline, std::uint64_t version, std::vector<double> squares) {
  wire::Message message;
  message.mutable_norm()->set_timeline(timeline);
  message.mutable_norm()->set_version(version);
  message.mutable_norm()->mutable_squares()->Add(squares.begin(), squares.end());
  return message;
}

// By server.
std::map<PeerId, double> totals(const Commands& commands) {
  std::map<PeerId, double> all;
  for (const Command& command : commands) {
    const auto* sent = std::get_if<SendTo>(&command);
    if (sent != nullptr && sent->message.has_norm_total()) all[sent->peer] = sent->message.norm_total().squares();
  }
  return all;
}

bool asks_for_norms(const Commands& commands) {
  for (const Command& command : commands) {
    const auto* sent = std::get_if<SendTo>(&command);
    if (sent != nullptr && sent->message.has_limit() && sent->message.limit().norms()) return true;
  }
  return false;
}

bool refuses(const Commands& commands, const std::string& reason) {
  const auto* sent = commands.empty() ? nullptr : std::get_if<SendTo>(&commands[0]);
  return sent != nullptr && sent->message.refused().reason() == reason;
}

Coordinator clipping_coordinator() {
  CoordinatorSettings of_job = settings(true);
  of_job.clips_by_norm = true;
  return Coordinator(of_job, {});
}

TEST(NormAtTheCoordinator, IsAddedInTheOrderOfBlocksOnceAllServersHaveReported) {
  Coordinator job = clipping_coordinator();
  const std::uint64_t timeline = begin(job);
  // In this order the small ones are lost; in another they would not be.
  EXPECT_TRUE(totals(job.received(second_server, norm(timeline, 0, {1, 1}), start)).empty());
  const auto all = totals(job.received(first_server, norm(timeline, 0, {1e16, 1}), start));
  EXPECT_EQ(all, (std::map<PeerId, double>{{first_server, 1e16}, {second_server, 1e16}}));
}

TEST(NormAtTheCoordinator, OfAnotherTimelineDoesNotCount) {
  Coordinator job = clipping_coordinator();
  const std::uint64_t timeline = begin(job);
  job.received(first_server, norm(timeline + 1, 0, {1}), start);
  EXPECT_TRUE(totals(job.received(second_server, norm(timeline, 0, {1}), start)).empty());
}

TEST(NormAtTheCoordinator, BehindItsLimitIsRefused) {
  Coordinator job = clipping_coordinator();
  const std::uint64_t timeline = begin(job);
  EXPECT_TRUE(refuses(job.received(first_server, norm(timeline, std::uint64_t{1} << 60, {1}), start),
                      "it has the norm of a step beyond its limit"));
  EXPECT_TRUE(totals(job.received(second_server, norm(timeline, 0, {1}), start)).empty());
}

TEST(NormAtTheCoordinator, IsAskedForAgainWhenTrainingGoesOn) {
  Coordinator job = clipping_coordinator();
  const std::uint64_t timeline = begin(job);
  job.received(first_server, norm(timeline, 0, {1}), start);
  job.closed(second_server);
  wire::Message again = hello(wire::PS, 1);
  again.mutable_hello()->mutable_held()->set_timeline(timeline);
  EXPECT_TRUE(asks_for_norms(job.received(second_server, again, start)));
  EXPECT_TRUE(totals(job.received(second_server, norm(timeline, 0, {2}), start)).empty())
      << "the first one is forgotten";
  EXPECT_EQ(totals(job.received(first_server, norm(timeline, 0, {1}), start)).at(second_server), 3);
}

TEST(NormAtTheCoordinator, IsNotAskedForByAJobWithoutIt) {
  Coordinator job = coordinator(true);
  job.received(first_server, hello(wire::PS, 0), start);
  job.received(second_server, hello(wire::PS, 1), start);
  wire::Message loaded;
  loaded.mutable_loaded()->set_timeline((std::uint64_t{1} << 32) + 1);
  job.received(first_server, loaded, start);
  EXPECT_FALSE(asks_for_norms(job.received(second_server, loaded, start)));
}

TEST(NormAtTheCoordinator, NeedsMembersThatKnowIt) {
  Coordinator job = clipping_coordinator();
  wire::Message old = hello(wire::PS, 0);
  old.mutable_hello()->set_protocol(1);
  EXPECT_TRUE(
      refuses(job.received(first_server, old, start),
              "this job clips gradients by norm (spec.training.clip.norm), which a member of an earlier release "
              "cannot; use the trainer image of the operator's release"));
  Coordinator other = coordinator(true);
  for (const Command& command : other.received(first_server, old, start)) {
    const auto* sent = std::get_if<SendTo>(&command);
    EXPECT_FALSE(sent != nullptr && sent->message.has_refused()) << "only such a job refuses it";
  }
}

// One worker and one of two servers, which holds two blocks of one element.
class ServerThatClips : public testing::Test {
 protected:
  static ServerSettings settings_in(Consistency consistency) {
    return {.job_uid = "job",
            .training = {.lanes = 1,
                         .optimizer = Sgd{1},
                         .consistency = consistency,
                         .reduction = Reduction::sum,
                         .clip = Clip{.norm = 5}},
            .blocks = {{0, 1}, {1, 2}}};
  }

  static void begin(ParameterServer& server) {
    server.coordinator_is(1);
    Frame load;
    load.message.mutable_load()->set_timeline(1);
    server.received(1, load);
    ShardState state;
    state.parameters = std::make_shared<const Floats>(2, 0.0f);
    server.loaded(1, std::move(state));
    server.received(2, Frame{hello(wire::WORKER, 0), {}});
    limit(server, 1, false);
  }

  static ParameterServer::Commands limit(ParameterServer& server, std::uint64_t version, bool norms) {
    Frame frame;
    frame.message.mutable_limit()->set_timeline(1);
    frame.message.mutable_limit()->set_version(version);
    frame.message.mutable_limit()->set_norms(norms);
    return server.received(1, frame);
  }

  static ParameterServer::Commands push(ParameterServer& server, std::uint64_t batch, double squares = 0) {
    Frame frame{{}, Tail({3, 4})};
    frame.message.mutable_push()->set_timeline(1);
    frame.message.mutable_push()->set_batch(batch);
    frame.message.mutable_push()->set_lane_count(1);
    frame.message.mutable_push()->set_records(1);
    frame.message.mutable_push()->set_squares(squares);
    return server.received(2, std::move(frame));
  }

  static ParameterServer::Commands total(ParameterServer& server, std::uint64_t version, double squares) {
    Frame frame;
    frame.message.mutable_norm_total()->set_timeline(1);
    frame.message.mutable_norm_total()->set_version(version);
    frame.message.mutable_norm_total()->set_squares(squares);
    return server.received(1, frame);
  }

  // Versions of the norms that are sent to the coordinator, each with its squares.
  static std::map<std::uint64_t, std::vector<double>> norms(const ParameterServer::Commands& commands) {
    std::map<std::uint64_t, std::vector<double>> all;
    for (const ParameterServer::Command& command : commands) {
      const auto* sent = std::get_if<ParameterServer::Send>(&command);
      if (sent == nullptr || !sent->message.has_norm()) continue;
      all[sent->message.norm().version()].assign(sent->message.norm().squares().begin(),
                                                 sent->message.norm().squares().end());
    }
    return all;
  }

  static Floats parameters(ParameterServer& server) {
    Frame want;
    want.message.mutable_want()->set_timeline(1);
    want.message.mutable_want()->set_version(~std::uint64_t{0});
    for (const ParameterServer::Command& command : server.received(2, want)) {
      const auto* sent = std::get_if<ParameterServer::Send>(&command);
      if (sent == nullptr || !sent->message.has_parameters()) continue;
      return {sent->tail.values().begin(), sent->tail.values().end()};
    }
    return {};
  }

  ParameterServer server{settings_in(Consistency::sync)};
};

using Norms = std::map<std::uint64_t, std::vector<double>>;

TEST_F(ServerThatClips, AppliesAStepOnceItKnowsTheNormOfAllServers) {
  begin(server);
  EXPECT_EQ(norms(push(server, 0)), (Norms{{0, {9, 16}}}));
  EXPECT_EQ(server.held().version(), 0U);
  EXPECT_EQ(parameters(server), (Floats{0, 0})) << "another server may lack parts of this step";
  total(server, 0, 100);  // The other server has the norm of sqrt(75).
  EXPECT_EQ(server.held().version(), 1U);
  EXPECT_EQ(parameters(server), (Floats{-1.5, -2}));
}

TEST_F(ServerThatClips, LeavesASmallGradientAsItIs) {
  begin(server);
  push(server, 0);
  total(server, 0, 25);
  EXPECT_EQ(parameters(server), (Floats{-3, -4}));
}

TEST_F(ServerThatClips, HidesNoNormThatIsNotANumber) {
  begin(server);
  push(server, 0);
  total(server, 0, std::nan(""));
  EXPECT_TRUE(std::isnan(parameters(server)[0]));
}

TEST_F(ServerThatClips, IgnoresTheTotalOfAnotherStep) {
  begin(server);
  total(server, 0, 25);
  push(server, 0);
  EXPECT_EQ(server.held().version(), 0U) << "it came before the step was complete";
  total(server, 1, 25);
  EXPECT_EQ(server.held().version(), 0U);
}

TEST_F(ServerThatClips, KeepsATotalWhileItWaitsForTheLimit) {
  begin(server);
  push(server, 0);
  total(server, 0, 25);
  push(server, 1);
  total(server, 1, 25);
  EXPECT_EQ(server.held().version(), 1U);
  limit(server, 2, false);
  EXPECT_EQ(server.held().version(), 2U);
}

TEST_F(ServerThatClips, ReportsTheLastTwoStepsAgainIfAsked) {
  begin(server);
  push(server, 0);
  total(server, 0, 25);
  push(server, 1);
  EXPECT_TRUE(norms(limit(server, 1, false)).empty());
  EXPECT_EQ(norms(limit(server, 1, true)), (Norms{{0, {9, 16}}, {1, {9, 16}}}));
  limit(server, 3, false);
  total(server, 1, 25);
  push(server, 2);
  EXPECT_EQ(norms(limit(server, 3, true)), (Norms{{1, {9, 16}}, {2, {9, 16}}}));
}

TEST_F(ServerThatClips, TakesTheNormFromThePushInAsync) {
  ParameterServer async(settings_in(Consistency::async));
  begin(async);
  EXPECT_TRUE(norms(push(async, 7, 100)).empty());
  EXPECT_EQ(parameters(async), (Floats{-1.5, -2}));
}

TEST_F(ServerThatClips, RefusesAnOldWorkerInAsync) {
  ParameterServer async(settings_in(Consistency::async));
  wire::Message old = hello(wire::WORKER, 0);
  old.mutable_hello()->set_protocol(1);
  const auto commands = async.received(2, Frame{old, {}});
  ASSERT_FALSE(commands.empty());
  EXPECT_TRUE(std::get<ParameterServer::Send>(commands[0]).message.has_refused());
}

}  // namespace
}  // namespace carrack::train
