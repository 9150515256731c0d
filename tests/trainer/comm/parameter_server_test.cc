#include "trainer/comm/protocol/parameter_server.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "trainer/error.h"

namespace carrack::train {
namespace {

class ServerInAFirstPass : public testing::Test {
 protected:
  ServerInAFirstPass() {
    server.coordinator_is(1);
    Frame load;
    load.message.mutable_load()->set_timeline(1);
    server.received(1, load);
    ShardState state;
    state.parameters = std::make_shared<const Floats>(1, 0.0f);
    server.loaded(1, std::move(state));
    server.received(2, hello_of(0));
  }

  static Frame hello_of(std::uint32_t worker) {
    Frame hello;
    hello.message.mutable_hello()->set_job_uid("job");
    hello.message.mutable_hello()->set_attempt(1);
    hello.message.mutable_hello()->set_role(wire::WORKER);
    hello.message.mutable_hello()->set_index(worker);
    hello.message.mutable_hello()->mutable_to()->set_incarnation(1);
    return hello;
  }

  // What it says of two lanes' part.
  std::string refusal(std::uint32_t lane, std::uint64_t records, bool first_pass, std::uint64_t skipped = 0) {
    Frame push;
    push.message.mutable_push()->set_timeline(1);
    push.message.mutable_push()->set_first_lane(lane);
    push.message.mutable_push()->set_lane_count(2);
    push.message.mutable_push()->set_records(records);
    push.message.mutable_push()->mutable_skipped()->set_records(skipped);
    push.message.mutable_push()->set_first_pass(first_pass);
    push.tail = Tail({1});
    try {
      server.received(2, std::move(push));
    } catch (const Error& error) {
      EXPECT_EQ(error.blame(), Blame::user);
      return error.what();
    }
    return "none";
  }

  ParameterServer server{
      {.job_uid = "job", .attempt = 1, .incarnation = 1, .training = {.lanes = 4, .optimizer = Sgd{1}}}};
};

TEST_F(ServerInAFirstPass, FailsTheJobWhereAStepIsOfTwoOrders) {
  EXPECT_EQ(refusal(0, 3, true), "none");
  EXPECT_EQ(
      refusal(2, 3, false),
      "spec.checkpoint.folder: an index in indexes/ was removed while the job needed it: step 1 is of two orders; "
      "begin another job in a folder of its own");
}

TEST_F(ServerInAFirstPass, FailsTheJobWhereAStepHoldsNoRecord) {
  EXPECT_EQ(refusal(0, 0, true), "none") << "lanes may be empty";
  EXPECT_EQ(refusal(2, 0, true),
            "spec.checkpoint.folder: an index in indexes/ was removed while the job needed it: step 1 holds no record; "
            "begin another job in a folder of its own");
}

TEST_F(ServerInAFirstPass, TakesAStepOfWhichAllRecordsAreLeftOut) {
  EXPECT_EQ(refusal(0, 0, true), "none");
  EXPECT_EQ(refusal(2, 0, true, 3), "none");
}

bool refuses(const ParameterServer::Commands& commands) {
  return commands.size() == 2 && std::get<ParameterServer::Send>(commands[0]).message.has_refused() &&
         std::holds_alternative<ParameterServer::Disconnect>(commands[1]);
}

TEST_F(ServerInAFirstPass, RefusesASecondHelloOnAStreamAndKeepsTheWorker) {
  EXPECT_TRUE(refuses(server.received(2, hello_of(0))));
  EXPECT_EQ(refusal(0, 3, true), "none") << "the worker stays";
}

TEST_F(ServerInAFirstPass, RefusesAWorkerThatTheJobDoesNotHave) {
  EXPECT_TRUE(refuses(server.received(3, hello_of(1))));
}

// Two workers, which push gradients of four values each.
class ServerOfPieces : public testing::Test {
 protected:
  static constexpr std::size_t size = 4;

  explicit ServerOfPieces(bool deterministic = false, Consistency consistency = Consistency::sync)
      : server(
            {.job_uid = "job",
             .workers_max = 2,
             .training = {.lanes = 2, .optimizer = Sgd{1}, .consistency = consistency, .reduction = Reduction::sum}}),
        deterministic_(deterministic) {
    server.coordinator_is(1);
    Frame load;
    load.message.mutable_load()->set_timeline(1);
    server.received(1, load);
    ShardState state;
    state.parameters = std::make_shared<const Floats>(size, 0.0f);
    server.loaded(1, std::move(state));
    Frame limit;
    limit.message.mutable_limit()->set_timeline(1);
    limit.message.mutable_limit()->set_version(50);
    server.received(1, limit);
    join(2, 0);
    join(3, 1);
  }

  void join(PeerId stream, std::uint32_t worker) {
    Frame hello;
    hello.message.mutable_hello()->set_job_uid("job");
    hello.message.mutable_hello()->set_role(wire::WORKER);
    hello.message.mutable_hello()->set_index(worker);
    server.received(stream, hello);
  }

  // The values [begin, end) of what a worker pushes: `value` and the place.
  ParameterServer::Commands push(PeerId stream, std::uint32_t worker, float value, std::size_t begin, std::size_t end,
                                 std::uint64_t assignment = 1, std::size_t total = size) {
    const auto values = std::make_shared<Floats>(total);
    for (std::size_t i = 0; i < total; ++i) (*values)[i] = -value - static_cast<float>(i);
    wire::Message message;
    wire::Push& push = *message.mutable_push();
    push.set_timeline(1);
    push.set_batch(server.held().version());
    push.set_first_lane(worker);
    push.set_lane_count(1);
    push.set_lanes(deterministic_ ? 0 : 2);
    push.set_assignment(assignment);
    push.set_records(1);
    push.set_want(7 + worker);
    const auto bytes = std::as_bytes(std::span(*values).subspan(begin, end - begin));
    return server.received(stream, {std::make_shared<const wire::Message>(message), {begin, total, {bytes}, values}});
  }

  // The answers to the Wants in pushes, by stream.
  static std::map<PeerId, Floats> parameters(const ParameterServer::Commands& commands) {
    std::map<PeerId, Floats> all;
    for (const ParameterServer::Command& command : commands) {
      const auto* send = std::get_if<ParameterServer::Send>(&command);
      if (send == nullptr || !send->message.has_parameters()) continue;
      all[send->peer] = Floats(send->tail.values().begin(), send->tail.values().end());
    }
    return all;
  }

  ParameterServer server;

 private:
  const bool deterministic_;
};

TEST_F(ServerOfPieces, AddsThemAsTheyArriveFromSeveralWorkers) {
  EXPECT_TRUE(push(2, 0, 10, 0, 3).empty());
  EXPECT_TRUE(push(3, 1, 20, 0, 1).empty());
  EXPECT_TRUE(push(3, 1, 20, 1, 4).empty()) << "the other worker's gradient is not complete";
  EXPECT_EQ(server.held().version(), 0u);
  EXPECT_EQ(parameters(push(2, 0, 10, 3, 4)), (std::map<PeerId, Floats>{{2, {30, 32, 34, 36}}, {3, {30, 32, 34, 36}}}));
  EXPECT_EQ(server.held().version(), 1u);
}

TEST_F(ServerOfPieces, GoesOnWhereAPushWasCutOff) {
  push(2, 0, 10, 0, 3);
  server.closed(2);
  join(4, 0);
  push(3, 1, 20, 0, 4);
  EXPECT_TRUE(push(4, 0, 10, 0, 2).empty());
  EXPECT_EQ(parameters(push(4, 0, 10, 2, 4)).at(4), (Floats{30, 32, 34, 36}));
}

TEST_F(ServerOfPieces, IgnoresThoseByAnEarlierAssignment) {
  push(2, 0, 1000, 0, 3, 1);
  push(3, 1, 20, 0, 4, 2);
  EXPECT_TRUE(push(2, 0, 1000, 3, 4, 1).empty());
  EXPECT_EQ(parameters(push(2, 0, 10, 0, 4, 2)).at(3), (Floats{30, 32, 34, 36}));
}

std::string refusal_in(const ParameterServer::Commands& commands) {
  if (!refuses(commands)) return "none";
  return std::get<ParameterServer::Send>(commands[0]).message.refused().reason();
}

TEST_F(ServerOfPieces, RefusesAPushThatLacksValues) {
  EXPECT_EQ(refusal_in(push(2, 0, 10, 1, 4)), "a push lacks values before others");
  EXPECT_EQ(refusal_in(push(2, 0, 10, 0, 2)), "none");
  EXPECT_EQ(refusal_in(push(2, 0, 10, 3, 4)), "a push lacks values before others");
}

TEST_F(ServerOfPieces, RefusesAPushOfAnotherRange) {
  EXPECT_EQ(refusal_in(push(2, 0, 10, 0, 2, 1, size + 1)), "a push is not of this server's range");
}

class ServerOfPiecesInOrder : public ServerOfPieces {
 protected:
  ServerOfPiecesInOrder() : ServerOfPieces(true) {}
};

TEST_F(ServerOfPiecesInOrder, AddsWholeGradients) {
  push(2, 0, 10, 0, 3);
  push(3, 1, 20, 0, 1);
  push(3, 1, 20, 1, 4);
  server.closed(2);
  join(4, 0);
  EXPECT_TRUE(push(4, 0, 10, 3, 4).empty()) << "the values before these came on another stream";
  push(4, 0, 10, 0, 2);
  EXPECT_EQ(parameters(push(4, 0, 10, 2, 4)).at(4), (Floats{30, 32, 34, 36}));
}

class ServerOfPiecesInAsync : public ServerOfPieces {
 protected:
  ServerOfPiecesInAsync() : ServerOfPieces(false, Consistency::async) {}
};

TEST_F(ServerOfPiecesInAsync, AppliesWholeGradients) {
  EXPECT_TRUE(push(2, 0, 10, 0, 3).empty());
  EXPECT_EQ(parameters(push(3, 1, 20, 0, 4)).at(3), (Floats{20, 21, 22, 23}));
  server.closed(2);
  join(4, 0);
  push(4, 0, 10, 0, 2);
  EXPECT_EQ(server.held().version(), 1u);
  EXPECT_EQ(push(4, 0, 10, 2, 4).size(), 2u) << "it is applied, and the newest parameters are sent";
}

// One worker, whose push is the whole step.
class ServerWithAdam : public testing::TestWithParam<Consistency> {
 protected:
  ServerWithAdam() {
    server.coordinator_is(1);
    Frame load;
    load.message.mutable_load()->set_timeline(1);
    server.received(1, load);
    ShardState state;
    state.parameters = std::make_shared<const Floats>(2, 0.0f);
    for (int i = 0; i < 2; ++i) state.optimizer.push_back(std::make_shared<Floats>(2, 0.0f));
    server.loaded(1, std::move(state));
    Frame hello;
    hello.message.mutable_hello()->set_job_uid("job");
    hello.message.mutable_hello()->set_role(wire::WORKER);
    server.received(2, hello);
  }

  // The state at a cut, whose save then ends.
  ShardState state_at_cut(std::uint64_t number, std::uint64_t version) {
    Frame cut;
    cut.message.mutable_cut()->set_timeline(1);
    cut.message.mutable_cut()->set_number(number);
    cut.message.mutable_cut()->set_version(version);
    std::optional<ShardState> state = state_in(server.received(1, cut));
    EXPECT_TRUE(state);
    wire::Saved saved;
    saved.set_number(number);
    server.saved(saved);
    return std::move(state).value_or(ShardState());
  }

  static std::optional<ShardState> state_in(const ParameterServer::Commands& commands) {
    for (const ParameterServer::Command& command : commands) {
      if (const auto* save = std::get_if<ParameterServer::BeginSave>(&command)) return save->state;
    }
    return std::nullopt;
  }

  // Returns where the values that were received are.
  const float* push(std::uint64_t batch, std::uint64_t records = 1, const Skipped& skipped = {}) {
    Frame push;
    push.message.mutable_push()->set_timeline(1);
    push.message.mutable_push()->set_batch(batch);
    push.message.mutable_push()->set_lane_count(1);
    push.message.mutable_push()->set_records(records);
    *push.message.mutable_push()->mutable_skipped() = wire_from(skipped);
    push.tail = Tail({1, 1});
    const float* values = push.tail.values().data();
    server.received(2, std::move(push));
    return values;
  }

  void allow_steps() {
    Frame limit;
    limit.message.mutable_limit()->set_timeline(1);
    limit.message.mutable_limit()->set_version(50);
    server.received(1, limit);
  }

  ParameterServer server{{.job_uid = "job", .training = {.lanes = 1, .optimizer = Adam{}, .consistency = GetParam()}}};
};

INSTANTIATE_TEST_SUITE_P(Each, ServerWithAdam, testing::Values(Consistency::sync, Consistency::async));

TEST_P(ServerWithAdam, SharesItsStateWithASaveUntilTheNextStep) {
  allow_steps();
  {
    const ShardState saved = state_at_cut(101, 0), again = state_at_cut(102, 0);
    EXPECT_EQ(saved.optimizer, again.optimizer) << "the same memory";
    EXPECT_EQ(saved.parameters, again.parameters);
    push(0);
    EXPECT_EQ(*saved.optimizer[0], (Floats{0, 0})) << "a step does not change what is being saved";
    EXPECT_EQ(*saved.parameters, (Floats{0, 0}));
  }
  std::vector<const float*> before;
  for (const auto& values : state_at_cut(103, 1).optimizer) before.push_back(values->data());
  push(1);
  const ShardState after = state_at_cut(104, 2);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(after.optimizer[i]->data(), before[i]) << "no save uses it";
}

TEST_P(ServerWithAdam, SavesHowManyRecordsItsStepsLeftOutAndTheFirstOfThem) {
  allow_steps();
  push(0);
  EXPECT_EQ(state_at_cut(101, 1).skipped, Skipped());
  push(1, 2, {3, "x: record 7"});
  push(2, 0, {1, "x: record 9"});
  const ShardState state = state_at_cut(102, 3);
  EXPECT_EQ(state.skipped, (Skipped{4, "x: record 7"}));
  push(2, 0, {1, "x: record 9"});
  EXPECT_EQ(state_at_cut(103, 3).skipped, state.skipped) << "the step is applied already";
  // It goes on counting from what it loads.
  Frame load;
  load.message.mutable_load()->set_timeline(2);
  server.received(1, load);
  server.loaded(2, state);
  EXPECT_EQ(server.held().version(), 3u);
  Frame cut;
  cut.message.mutable_cut()->set_timeline(2);
  cut.message.mutable_cut()->set_number(104);
  cut.message.mutable_cut()->set_version(3);
  const std::optional<ShardState> loaded = state_in(server.received(1, cut));
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->skipped, state.skipped);
}

TEST_P(ServerWithAdam, WaitsAtItsLimitInSync) {
  const bool sync = GetParam() == Consistency::sync;
  push(0);
  EXPECT_EQ(server.held().version(), sync ? 0U : 1U);
  Frame limit;
  limit.message.mutable_limit()->set_timeline(2);
  limit.message.mutable_limit()->set_version(1);
  server.received(1, limit);
  EXPECT_EQ(server.held().version(), sync ? 0U : 1U) << "it is of another timeline";
  limit.message.mutable_limit()->set_timeline(1);
  server.received(1, limit);
  EXPECT_EQ(server.held().version(), 1U);
  EXPECT_EQ(server.held().limit(), 1U);
}

TEST_P(ServerWithAdam, ReportsItsSnapshotInAsyncBeforeItIsSaved) {
  push(0);
  Frame cut;
  cut.message.mutable_cut()->set_timeline(1);
  cut.message.mutable_cut()->set_number(101);
  std::optional<wire::Snapshotted> reported;
  for (const ParameterServer::Command& command : server.received(1, cut)) {
    const auto* send = std::get_if<ParameterServer::Send>(&command);
    if (send != nullptr && send->message.has_snapshotted()) reported = send->message.snapshotted();
  }
  ASSERT_EQ(reported.has_value(), GetParam() == Consistency::async);
  if (!reported) return;
  EXPECT_EQ(reported->number(), 101U);
  ASSERT_EQ(reported->applied_size(), 1);
  EXPECT_EQ(reported->applied(0).end(), 1U);
}

TEST_P(ServerWithAdam, AppliesAStepInTheMemoryOfItsSum) {
  allow_steps();
  const float* values = push(0);
  EXPECT_EQ(state_at_cut(101, 1).parameters->data(), values);
}

}  // namespace
}  // namespace carrack::train
