// What ends a job, and what comes when it has ended, message by message.
#include "trainer/comm/protocol/coordinator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/trainer/comm/messages.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

std::string refusal(Coordinator& job, PeerId from, const wire::Message& message) {
  try {
    job.received(from, message, start);
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::user);
    return error.what();
  }
  return "none";
}

wire::Message hello_with_data(wire::Role role, std::uint32_t index, const std::string& data) {
  wire::Message message = hello(role, index);
  message.mutable_hello()->mutable_held()->set_data(data);
  return message;
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
  EXPECT_EQ(refusal(job, first_server, hello_with_data(wire::PS, 0, "the data")), "none");
  EXPECT_EQ(refusal(job, second_server, hello_with_data(wire::PS, 1, "")), "none");
  EXPECT_EQ(refusal(job, worker, hello_with_data(wire::WORKER, 0, "the data")), "none");
}

TEST(JobWithData, FailsWhereAMemberHasOther) {
  Coordinator job = coordinator(true);
  EXPECT_EQ(refusal(job, worker, hello_with_data(wire::WORKER, 3, "other data")),
            "spec.data.train: the data has changed: worker 3 has other data; the coordinator has the data; give "
            "the job back what it began with, or begin another job");
  EXPECT_EQ(refusal(job, second_server, hello_with_data(wire::PS, 1, "other data")),
            "spec.data.train: the data has changed: parameter server 1 has other data; the coordinator has the "
            "data; give the job back what it began with, or begin another job");
}

TEST(JobWithData, DoesNotFailForAMemberThatIsNoneOfItsOwn) {
  Coordinator job = coordinator(true);
  wire::Message stranger = hello_with_data(wire::WORKER, 0, "other data");
  stranger.mutable_hello()->set_job_uid("another");
  EXPECT_EQ(refusal(job, worker, stranger), "none");
}

TEST(JobWithData, TellsServersOnWhatTheyAreToBeTrained) {
  Coordinator job = coordinator(true);
  job.received(first_server, hello(wire::PS, 0), start);
  std::size_t loads = 0;
  for (const Command& command : job.received(second_server, hello(wire::PS, 1), start)) {
    const auto* sent = std::get_if<SendTo>(&command);
    if (sent == nullptr || !sent->message.has_load()) continue;
    EXPECT_EQ(sent->message.load().data(), "the data");
    ++loads;
  }
  EXPECT_EQ(loads, 2U);
}

TEST(JobThatDiverges, FailsInSync) {
  const double infinity = std::numeric_limits<double>::infinity();
  Coordinator job = coordinator(true);
  const std::uint64_t timeline = begin(job);
  EXPECT_EQ(refusal(job, first_server, with_loss(applied(timeline, 2), 1e300)), "none");
  EXPECT_EQ(refusal(job, second_server, with_loss(applied(timeline, 7), infinity)),
            "spec.training: the loss of step 7 is inf, so training has diverged; set a smaller "
            "spec.training.optimizer.learningRate, or take what is not finite out of the data");
}

TEST(JobThatDiverges, FailsInAsync) {
  Coordinator job = coordinator(false);
  const std::uint64_t timeline = begin(job);
  EXPECT_EQ(refusal(job, worker, with_loss(finished(timeline, 0), std::nan(""))),
            "spec.training: the loss of step 1 is nan, so training has diverged; set a smaller "
            "spec.training.optimizer.learningRate, or take what is not finite out of the data");
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
