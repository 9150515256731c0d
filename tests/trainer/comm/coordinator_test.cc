// What ends a job, and what comes when it has ended, message by message.
#include "trainer/comm/protocol/coordinator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/trainer/comm/messages.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

const std::string job_order = "carrack-order v2 files=2";

std::string refusal(Coordinator& job, PeerId from, const wire::Message& message) {
  try {
    job.received(from, message, start);
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::user);
    return error.what();
  }
  return "none";
}

wire::Message hello_with_data(wire::Role role, std::uint32_t index, const std::string& order) {
  wire::Message message = hello(role, index);
  message.mutable_hello()->mutable_held()->set_order(order);
  return message;
}

wire::Message hello_with_applied(std::vector<BatchRun> applied) {
  wire::Message message = hello(wire::PS, 1);
  message.mutable_hello()->mutable_held()->set_timeline(1);
  *message.mutable_hello()->mutable_held()->mutable_applied() = wire_from(applied);
  return message;
}

// Whether the commands refuse this peer and end its stream.
bool refuses(const Commands& commands, PeerId peer) {
  if (commands.size() != 2) return false;
  const auto* sent = std::get_if<SendTo>(&commands[0]);
  const auto* ended = std::get_if<Disconnect>(&commands[1]);
  return sent != nullptr && sent->peer == peer && sent->message.has_refused() && ended != nullptr &&
         ended->peer == peer;
}

wire::Message with_loss(wire::Message message, double loss) {
  if (message.has_applied()) {
    message.mutable_applied()->set_loss(loss);
    message.mutable_applied()->set_records(1);
  } else {
    message.mutable_finished()->set_loss(loss);
    message.mutable_finished()->set_records(1);
  }
  return message;
}

TEST(JobWithData, TakesMembersThatHaveTheSameOrDoNotSay) {
  Coordinator job = coordinator(true);
  EXPECT_EQ(refusal(job, first_server, hello_with_data(wire::PS, 0, job_order)), "none");
  EXPECT_EQ(refusal(job, second_server, hello_with_data(wire::PS, 1, "")), "none");
  EXPECT_EQ(refusal(job, worker, hello_with_data(wire::WORKER, 0, job_order)), "none");
}

TEST(JobWithData, FailsWhereAMemberHasOther) {
  Coordinator job = coordinator(true);
  EXPECT_EQ(refusal(job, worker, hello_with_data(wire::WORKER, 3, "carrack-order v2 files=3")),
            "spec.data.train: the data has changed: worker 3 has files 3; the coordinator has files 2; give "
            "the job back what it began with, or begin another job");
  EXPECT_EQ(refusal(job, second_server, hello_with_data(wire::PS, 1, "carrack-order v2 files=3")),
            "spec.data.train: the data has changed: parameter server 1 has files 3; the coordinator has files 2; "
            "give the job back what it began with, or begin another job");
}

TEST(JobWithData, DoesNotFailForAMemberThatIsNoneOfItsOwn) {
  Coordinator job = coordinator(true);
  wire::Message stranger = hello_with_data(wire::WORKER, 0, "carrack-order v2 files=3");
  stranger.mutable_hello()->set_job_uid("another");
  EXPECT_EQ(refusal(job, worker, stranger), "none");
}

TEST(JobWithData, ComparesTheTextOfOlderReleasesWithMembersOfSuch) {
  Coordinator job = coordinator(true);
  wire::Message same = hello(wire::PS, 0);
  same.mutable_hello()->mutable_held()->set_data("two files");
  EXPECT_EQ(refusal(job, first_server, same), "none");
  wire::Message other = hello(wire::PS, 1);
  other.mutable_hello()->mutable_held()->set_data("other data");
  EXPECT_EQ(refusal(job, second_server, other),
            "spec.data.train: the data has changed: parameter server 1 has other data; the coordinator has two files; "
            "give the job back what it began with, or begin another job");
}

TEST(JobWithData, TellsServersOnWhatTheyAreToBeTrained) {
  Coordinator job = coordinator(true);
  job.received(first_server, hello(wire::PS, 0), start);
  std::size_t loads = 0;
  for (const Command& command : job.received(second_server, hello(wire::PS, 1), start)) {
    const auto* sent = std::get_if<SendTo>(&command);
    if (sent == nullptr || !sent->message.has_load()) continue;
    EXPECT_EQ(sent->message.load().order(), job_order);
    EXPECT_EQ(sent->message.load().data(), "two files");
    ++loads;
  }
  EXPECT_EQ(loads, 2U);
}

TEST(HelloToACoordinator, IsRefusedForAMemberThatTheJobDoesNotHave) {
  Coordinator job = coordinator(true);
  EXPECT_TRUE(refuses(job.received(worker, hello(wire::WORKER, 8), start), worker));
  EXPECT_TRUE(refuses(job.received(worker, hello(wire::WORKER, 0xffffffff), start), worker));
  EXPECT_FALSE(refuses(job.received(worker, hello(wire::WORKER, 7), start), worker));
  EXPECT_TRUE(refuses(job.received(first_server, hello(wire::PS, 2), start), first_server));
  EXPECT_TRUE(refuses(job.received(first_server, hello(wire::COORDINATOR, 0), start), first_server));
}

TEST(HelloToACoordinator, IsRefusedOnAStreamThatCarriedOneAndTheFirstMemberStays) {
  Coordinator job = coordinator(true);
  begin(job);
  EXPECT_TRUE(refuses(job.received(first_server, hello(wire::WORKER, 0), start), first_server));
  EXPECT_TRUE(refuses(job.received(worker, hello(wire::WORKER, 0), start), worker));
  // Assignments name the server that stays, by its stream.
  bool assigned = false;
  for (const Command& command : job.received(worker + 1, hello(wire::WORKER, 1), start)) {
    const auto* sent = std::get_if<SendTo>(&command);
    if (sent == nullptr || !sent->message.has_assignment()) continue;
    EXPECT_EQ(sent->message.assignment().servers_size(), 2);
    assigned = true;
  }
  EXPECT_TRUE(assigned);
  EXPECT_TRUE(job.closed(first_server).empty());
}

TEST(HelloToACoordinator, IsRefusedWithAppliedBatchesThatCannotBe) {
  Coordinator job = coordinator(false);
  const std::vector<std::vector<BatchRun>> wrong{
      {{5, 5}}, {{7, 5}}, {{5, 7}, {0, 2}}, {{0, 2}, {2, 4}}, {{0, 4}, {2, 6}}, {{0, 101}}, {{0, ~std::uint64_t{0}}}};
  for (const auto& applied : wrong) {
    EXPECT_TRUE(refuses(job.received(second_server, hello_with_applied(applied), start), second_server));
  }
  std::vector<BatchRun> many;
  for (std::uint64_t i = 0; i < 5000; ++i) many.push_back({i * 2, i * 2 + 1});
  Coordinator endless = coordinator(false, std::nullopt);
  EXPECT_TRUE(refuses(endless.received(second_server, hello_with_applied(many), start), second_server));
  EXPECT_FALSE(refuses(job.received(second_server, hello_with_applied({{0, 2}, {3, 100}}), start), second_server));
}

TEST(InputWait, IsTheMeanOverTheWorkersThatAreHere) {
  Coordinator job = coordinator(true);
  begin(job);
  EXPECT_EQ(job.input_wait(), std::nullopt);
  constexpr PeerId second_worker = 4;
  job.received(second_worker, hello(wire::WORKER, 1), start);
  wire::Message alive;
  alive.mutable_alive()->set_input_wait(0.25);
  job.received(worker, alive, start);
  EXPECT_EQ(job.input_wait(), 0.25);
  alive.mutable_alive()->set_input_wait(7);
  job.received(second_worker, alive, start);
  EXPECT_EQ(job.input_wait(), 0.625) << "a share is 1 at most";
  job.closed(worker);
  alive.mutable_alive()->set_input_wait(std::nan(""));
  job.received(second_worker, alive, start);
  EXPECT_EQ(job.input_wait(), 0);
  job.received(first_server, alive, start);
  job.closed(second_worker);
  EXPECT_EQ(job.input_wait(), std::nullopt);
}

TEST(SavedShard, IsRefusedWithAppliedBatchesThatCannotBe) {
  Coordinator job = coordinator(false);
  const std::uint64_t timeline = begin(job);
  job.received(worker, finished(timeline, 0), start);
  const auto ordered = cuts(job.received(worker, leaving(timeline, 0), start));
  EXPECT_TRUE(refuses(job.received(first_server, saved(ordered.at(first_server), {{0, 101}}), start), first_server));
}

TEST(VersionBehindTheLimit, IsRefused) {
  Coordinator job = coordinator(true);
  const std::uint64_t timeline = begin(job);
  EXPECT_TRUE(refuses(job.received(worker, leaving(timeline, 1'000'000), start), worker));
  EXPECT_TRUE(refuses(job.received(first_server, applied(timeline, 1'000'000), start), first_server));
  EXPECT_EQ(job.batches_done(), 0U);
}

TEST(JobThatDiverges, FailsInSync) {
  const double infinity = std::numeric_limits<double>::infinity();
  Coordinator job = coordinator(true);
  const std::uint64_t timeline = begin(job);
  EXPECT_EQ(refusal(job, first_server, with_loss(applied(timeline, 2), 1e300)), "none");
  apply_steps(job, timeline, 2, 6);
  EXPECT_EQ(refusal(job, second_server, with_loss(applied(timeline, 7), infinity)),
            "spec.training: the loss of step 7 is inf, so training has diverged; scale features and target to "
            "values near 1, or set a smaller spec.training.optimizer.learningRate; `carrack data stats` shows their "
            "ranges, and what is not finite");
}

TEST(JobThatDiverges, FailsInAsync) {
  Coordinator job = coordinator(false);
  const std::uint64_t timeline = begin(job);
  EXPECT_EQ(refusal(job, worker, with_loss(finished(timeline, 0), std::nan(""))),
            "spec.training: the loss of step 1 is nan, so training has diverged; scale features and target to "
            "values near 1, or set a smaller spec.training.optimizer.learningRate; `carrack data stats` shows their "
            "ranges, and what is not finite");
}

TEST(JobThatIsOver, TellsAServerThatComesBackAndTakesNoteOfNothingElse) {
  Coordinator job = coordinator(false, 1);
  const std::uint64_t timeline = begin(job);
  const auto ordered = cuts(job.received(worker, finished(timeline, 0), start));
  job.received(first_server, saved(ordered.at(first_server), {{0, 1}}), start);
  const Commands last = job.received(second_server, saved(ordered.at(second_server), {{0, 1}}), start);
  ASSERT_NE(commit(last), nullptr);
  const Commands end = job.committed(commit(last)->cut.number, {"checkpoint-1-1-1-1.manifest", 0, 1, {{0, 1}}});
  EXPECT_TRUE(std::holds_alternative<EndProcess>(end.back()));
  job.closed(first_server);
  const Commands again = job.received(first_server, hello(wire::PS, 0), start);
  ASSERT_EQ(again.size(), 1U);
  EXPECT_TRUE(std::get<SendTo>(again[0]).message.has_end());
  for (const PeerId server : {first_server, second_server}) {
    EXPECT_TRUE(job.received(server, applied(timeline, 1), start).empty());
  }
  EXPECT_EQ(job.last_commit().version, 1U);
}

}  // namespace
}  // namespace carrack::train
