#include "operator/kube/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carrack::control {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

JobStatus with(const std::vector<Condition>& conditions) {
  JobStatus status;
  for (const Condition& condition : conditions) set_condition(status, condition);
  return status;
}

const Condition created{ConditionType::created, true, "JobCreated", "", {}};
const Condition runs{ConditionType::running, true, "MembersRunning", "", {}};
const Condition waits{ConditionType::running, false, "WaitingForMembers", "worker 0 is starting", {}};
const Condition restarts{ConditionType::restarting, true, "MemberRestarts", "ps 0: vanished", {}};

TEST(Events, TellWhatHasComeToHold) {
  EXPECT_THAT(events_between({}, with({created, waits})), ElementsAre(JobEvent{false, "JobCreated", ""}));
  EXPECT_THAT(events_between(with({created, waits}), with({created, runs})),
              ElementsAre(JobEvent{false, "MembersRunning", ""}));
  EXPECT_THAT(events_between(with({created, runs}), with({created, runs, restarts})),
              ElementsAre(JobEvent{true, "MemberRestarts", "ps 0: vanished"}));
}

TEST(Events, SayNothingTwice) {
  JobStatus later = with({created, runs, restarts});
  later.progress = Progress{};
  EXPECT_THAT(events_between(with({created, runs, restarts}), later), IsEmpty());
}

TEST(Events, SayAgainWhatHoldsForAnotherReason) {
  Condition others = restarts;
  others.message = "worker 1: ended by signal 9";
  EXPECT_THAT(events_between(with({restarts}), with({others})),
              ElementsAre(JobEvent{true, "MemberRestarts", "worker 1: ended by signal 9"}));
}

TEST(Events, SayNothingOfAJobThatTrainsWhenItsMembersWaitForSomethingElse) {
  Condition without_one = runs;
  without_one.message = "worker 1: not created: exceeded quota";
  EXPECT_THAT(events_between(with({runs}), with({without_one})), IsEmpty());
  EXPECT_THAT(events_between(with({waits}), with({without_one})),
              ElementsAre(JobEvent{false, "MembersRunning", "worker 1: not created: exceeded quota"}));
}

TEST(Events, TellAnEndOnce) {
  const Condition failed{ConditionType::failed, true, "UserError", "worker 0: no file", {}};
  const Condition finished{ConditionType::finished, true, "UserError", "worker 0: no file", {}};
  EXPECT_THAT(events_between(with({created}), with({created, failed, finished})),
              ElementsAre(JobEvent{true, "UserError", "worker 0: no file"}));
}

TEST(Events, AreNoLongerThanTheServerTakesAndCutNoCharacterInTwo) {
  std::string message(999, 'x');
  for (int n = 0; n < 100; ++n) message += "\u00e9";
  const std::vector<JobEvent> events =
      events_between({}, with({{ConditionType::restarting, true, "MemberRestarts", message, {}}}));
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].note, std::string(489, 'x') + " ... 221 bytes left out ... " + message.substr(1199 - 489));
  EXPECT_LE(events[0].note.size(), 1'024U);
}

}  // namespace
}  // namespace carrack::control
