// How many actions are sent at once.
#include "tests/operator/runtime/scripted_cluster.h"

namespace carrack::control {
namespace {

using testing::ElementsAre;

class Batches : public LoopTest {
 protected:
  void decide_on_creates(int count) {
    actions = {CreateConfig{"config"}, DeleteProcess{"old", seconds(1)}};
    for (int index = 0; index < count; ++index) {
      actions.push_back(CreateProcess{process_of(cluster.spec, worker(index), {0, 1})});
      cluster.status.members[worker(index)] = {1, false};
    }
    loop.wake("j");
    loop.turn();
  }
};

TEST_F(Batches, OfCreatesDoubleUpTo16) {
  decide_on_creates(50);
  EXPECT_THAT(cluster.batches, ElementsAre(1, 1, 1, 2, 4, 8, 16, 16, 3));
  EXPECT_EQ(cluster.calls.size(), 54U);
}

TEST_F(Batches, OfWithdrawalsAndOfDeletesHaveSixteenFromTheFirst) {
  actions.clear();
  for (int n = 0; n < 20; ++n) actions.push_back(WithdrawProcess{"old-" + std::to_string(n)});
  for (int n = 0; n < 20; ++n) actions.push_back(DeleteProcess{"old-" + std::to_string(n), seconds(1)});
  loop.wake("j");
  loop.turn();
  EXPECT_THAT(cluster.batches, ElementsAre(16, 4, 16, 4));
}

TEST_F(Batches, WithAWithdrawalThatWasRefusedAreFollowedByNothing) {
  actions = {WithdrawProcess{"a"}, WithdrawProcess{"b"}, DeleteProcess{"a", seconds(1)}};
  cluster.apply_results = {WriteResult::refused, WriteResult::done};
  loop.wake("j");
  loop.turn();
  EXPECT_THAT(cluster.batches, ElementsAre(2));
  EXPECT_EQ(passes.back().result, Pass::Result::not_done);
}

TEST_F(Batches, BeginAgainWithOneAfterARefusal) {
  cluster.apply_results.assign(7, WriteResult::done);
  cluster.apply_results.push_back(WriteResult::refused);  // in the batch of four
  decide_on_creates(12);
  EXPECT_THAT(cluster.batches, ElementsAre(1, 1, 1, 2, 4, 1, 2, 2));
  EXPECT_EQ(passes.back().result, Pass::Result::refused);
}

TEST_F(Batches, EndWithTheOneInWhichAnActionWasLeftOpen) {
  cluster.apply_results.assign(3, WriteResult::done);
  cluster.apply_results.push_back(WriteResult::not_now);
  decide_on_creates(12);
  EXPECT_THAT(cluster.batches, ElementsAre(1, 1, 1, 2));
  EXPECT_EQ(passes.back().result, Pass::Result::not_done);
  actions.clear();
  cluster.seen = {11, 71, 30, 71};
  turn_after(milliseconds(100));
  EXPECT_EQ(answers.size(), 10U);
  EXPECT_EQ(answers.at(process_name(cluster.spec, worker(1), {0, 1})).refusal, Refusal::not_now);
  EXPECT_EQ(answers.at(process_name(cluster.spec, worker(3), {0, 1})).refusal, Refusal::not_sent);
}

}  // namespace
}  // namespace carrack::control
