#include "trainer/comm/protocol/parameter_server.h"

#include <gtest/gtest.h>

#include <memory>
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
    state.parameters = std::make_shared<const std::vector<float>>(1);
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
  std::string refusal(std::uint32_t lane, std::uint64_t records, bool first_pass) {
    Frame push;
    push.message.mutable_push()->set_timeline(1);
    push.message.mutable_push()->set_first_lane(lane);
    push.message.mutable_push()->set_lane_count(2);
    push.message.mutable_push()->set_records(records);
    push.message.mutable_push()->set_first_pass(first_pass);
    push.tail = {1};
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

}  // namespace
}  // namespace carrack::train
