// What a parameter server saves while its storage is slow, and which saves it reports.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tests/trainer/comm/messages.h"
#include "trainer/comm/protocol/parameter_server.h"

namespace carrack::train {
namespace {

constexpr PeerId coordinator_peer = 1;
constexpr PeerId worker_peer = 2;
constexpr std::uint64_t timeline = 1;

// A server of one parameter whose only worker's push is a whole step.
class ServerThatSaves : public testing::TestWithParam<Consistency> {
 protected:
  ServerThatSaves() {
    server_.coordinator_is(coordinator_peer);
    load(timeline);
    Frame limit;
    limit.message.mutable_limit()->set_timeline(timeline);
    limit.message.mutable_limit()->set_version(50);
    server_.received(coordinator_peer, limit);
    server_.received(worker_peer, Frame{hello(wire::WORKER, 0), {}});
  }

  void load(std::uint64_t of) {
    Frame load;
    load.message.mutable_load()->set_timeline(of);
    server_.received(coordinator_peer, load);
    ShardState state;
    state.parameters = std::make_shared<const Floats>(1, 0.0f);
    server_.loaded(of, std::move(state));
  }

  // Orders this cut at the present version, while the coordinator waits for the cuts `open`.
  ParameterServer::Commands cut(std::uint64_t number, const std::vector<std::uint64_t>& open) {
    Frame frame;
    wire::Cut& cut = *frame.message.mutable_cut();
    cut.set_timeline(server_.held().timeline());
    cut.set_number(number);
    cut.set_version(server_.held().version());
    for (const std::uint64_t one : open) cut.add_open(one);
    return server_.received(coordinator_peer, frame);
  }

  void step() {
    Frame frame;
    wire::Push& push = *frame.message.mutable_push();
    push.set_timeline(timeline);
    push.set_batch(server_.held().version());
    push.set_lane_count(1);
    push.set_records(1);
    frame.tail = Tail(Floats{1});
    server_.received(worker_peer, std::move(frame));
  }

  ParameterServer::Commands saved(std::uint64_t number) {
    wire::Saved saved;
    saved.set_timeline(timeline);
    saved.set_number(number);
    return server_.saved(saved);
  }

  // The number and version of the save that begins.
  using Begun = std::optional<std::pair<std::uint64_t, std::uint64_t>>;
  static Begun begun(const ParameterServer::Commands& commands) {
    Begun found;
    for (const ParameterServer::Command& command : commands) {
      const auto* save = std::get_if<ParameterServer::BeginSave>(&command);
      if (save == nullptr) continue;
      EXPECT_FALSE(found) << "one save at a time";
      found = {save->cut.number(), save->state.version};
    }
    return found;
  }

  static std::vector<std::uint64_t> reported(const ParameterServer::Commands& commands) {
    std::vector<std::uint64_t> all;
    for (const ParameterServer::Command& command : commands) {
      const auto* send = std::get_if<ParameterServer::Send>(&command);
      if (send != nullptr && send->message.has_saved()) all.push_back(send->message.saved().number());
    }
    return all;
  }

  using Numbers = std::vector<std::uint64_t>;

 private:
  ParameterServer server_{{.job_uid = "job", .training = {.lanes = 1, .optimizer = Sgd{1}, .consistency = GetParam()}}};
};

INSTANTIATE_TEST_SUITE_P(Each, ServerThatSaves, testing::Values(Consistency::sync, Consistency::async));

// Workers come and go, so the coordinator orders a cut of the idle job and drops it again and again.
TEST_P(ServerThatSaves, ReportsACutThatIsOpenHoweverManyWereDroppedSince) {
  EXPECT_EQ(begun(cut(1, {1})), Begun({1, 0}));
  for (std::uint64_t number = 2; number <= 20; ++number) {
    step();
    EXPECT_EQ(begun(cut(number, {1, number})), std::nullopt) << "a save is under way";
  }
  const ParameterServer::Commands commands = saved(1);
  EXPECT_EQ(reported(commands), Numbers{1});
  EXPECT_EQ(begun(commands), Begun({20, 19})) << "those before it are dropped";
  const ParameterServer::Commands last = saved(20);
  EXPECT_EQ(reported(last), Numbers{20});
  EXPECT_EQ(begun(last), std::nullopt);
}

TEST_P(ServerThatSaves, SavesTheSnapshotsOfOpenCutsOneAfterTheOther) {
  cut(1, {1});
  step();
  cut(2, {1, 2});
  step();
  cut(3, {1, 2, 3});
  step();
  EXPECT_EQ(begun(saved(1)), Begun({2, 1}));
  EXPECT_EQ(begun(saved(2)), Begun({3, 2}));
  EXPECT_EQ(reported(saved(3)), Numbers{3});
}

TEST_P(ServerThatSaves, DropsNothingForACoordinatorThatDoesNotSayWhichCutsAreOpen) {
  for (std::uint64_t number = 1; number <= 10; ++number) cut(number, {});
  for (std::uint64_t number = 1; number <= 10; ++number) EXPECT_EQ(reported(saved(number)), Numbers{number});
}

TEST_P(ServerThatSaves, ReportsNoCutThatWasDroppedWhileItWasSaved) {
  cut(1, {1});
  EXPECT_EQ(begun(cut(2, {2})), std::nullopt);
  const ParameterServer::Commands commands = saved(1);
  EXPECT_EQ(reported(commands), Numbers{});
  EXPECT_EQ(begun(commands), Begun({2, 0}));
}

TEST_P(ServerThatSaves, ReportsAgainWhatIsOrderedAgain) {
  cut(1, {1});
  EXPECT_EQ(reported(cut(1, {1})), Numbers{}) << "the save is under way";
  EXPECT_EQ(reported(saved(1)), Numbers{1});
  EXPECT_EQ(reported(cut(1, {1})), Numbers{1});
}

TEST_P(ServerThatSaves, DropsItsSnapshotsWhenItLoads) {
  cut(1, {1});
  step();
  cut(2, {1, 2});
  load(timeline + 1);
  EXPECT_EQ(begun(cut(3, {3})), std::nullopt) << "the save from before the load is under way";
  const ParameterServer::Commands commands = saved(1);
  EXPECT_EQ(reported(commands), Numbers{});
  EXPECT_EQ(begun(commands), Begun({3, 0}));
}

TEST(OrderOfACut, NamesTheCutsThatAreOpen) {
  Coordinator job = coordinator(true);
  const std::uint64_t of_job = begin(job);
  const wire::Cut regular = apply_steps(job, of_job, 0, 10);
  ASSERT_EQ(regular.version(), 10U);
  apply_steps(job, of_job, 10, 11);
  const auto open = [](const wire::Cut& cut) {
    return std::vector<std::uint64_t>(cut.open().begin(), cut.open().end());
  };
  EXPECT_EQ(open(regular), std::vector<std::uint64_t>{regular.number()});
  const wire::Cut idle = cuts(job.received(worker, leaving(of_job, 11), start)).at(first_server);
  EXPECT_EQ(open(idle), (std::vector<std::uint64_t>{regular.number(), idle.number()}));
  job.received(worker, hello(wire::WORKER, 0), start);
  const wire::Cut later = cuts(job.received(worker, leaving(of_job, 11), start)).at(first_server);
  EXPECT_EQ(open(later), (std::vector<std::uint64_t>{regular.number(), later.number()})) << "a worker has joined";
}

}  // namespace
}  // namespace carrack::train
