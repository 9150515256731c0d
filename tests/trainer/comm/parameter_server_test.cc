#include "trainer/comm/protocol/parameter_server.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
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

  ShardState state_at_cut(std::uint64_t number, std::uint64_t version) {
    Frame cut;
    cut.message.mutable_cut()->set_timeline(1);
    cut.message.mutable_cut()->set_number(number);
    cut.message.mutable_cut()->set_version(version);
    std::optional<ShardState> state = state_in(server.received(1, cut));
    EXPECT_TRUE(state);
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
