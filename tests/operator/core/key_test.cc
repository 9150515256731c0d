// The key by which a job's processes know each other. The operator can create it, and cannot see it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/core/answers.h"
#include "tests/operator/core/own_job.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using train::Exit;

std::vector<std::string> keys_of(const Decision& decision) {
  std::vector<std::string> keys;
  for (const CreateProcess& create : all<CreateProcess>(decision)) keys.push_back(create.process.key);
  return keys;
}

CreateKey key_of(const Scene& scene) {
  return {key_name(scene.spec)};
}

TEST(JobKey, IsCreatedOnceAndGivenToEveryProcess) {
  Scene scene;
  const Decision first = scene.decide();
  EXPECT_THAT(all<CreateKey>(first), ElementsAre(key_of(scene)));
  EXPECT_THAT(keys_of(first), Each(key_name(scene.spec)));
  EXPECT_EQ(keys_of(first).size(), 4u);
  scene.start_all();
  scene.exits(worker(1), Exit::platform_error);
  const Decision next = scene.decide();
  EXPECT_THAT(all<CreateKey>(next), IsEmpty());
  EXPECT_THAT(keys_of(next), ElementsAre(key_name(scene.spec)));
}

TEST(JobKey, IsAskedForByAnOperatorThatDoesNotKnowThatItIsThere) {
  Scene scene;
  scene.start_all();
  scene.observed.has_key = false;
  EXPECT_THAT(scene.decide().actions, IsEmpty()) << "what runs has it";
  for (ObservedProcess& process : scene.observed.processes) process.state = ProcessState::pending;
  EXPECT_THAT(scene.decide().actions, ElementsAre(key_of(scene)));
  EXPECT_THAT(scene.decide().actions, IsEmpty());
}

TEST(JobKey, ThatIsRefusedIsNamedAndRests) {
  Scene scene(some_job(1, 1));
  scene.decide();
  scene.observed.has_key = false;
  const std::string name = key_name(scene.spec);
  scene.observed.answers[name] = {.refusal = Refusal::denied, .words = "no secrets here", .at = scene.now};
  const Decision decision = scene.decide();
  EXPECT_THAT(decision.actions, IsEmpty());
  EXPECT_EQ(decision.wake_at, scene.now + seconds(1));
  const Condition* running = find(scene.status, ConditionType::running);
  EXPECT_EQ(running->reason, "Denied");
  EXPECT_EQ(running->message,
            name + ": not created: no secrets here; coordinator 0 is starting; ps 0 is starting; worker 0 is starting");
  LastRefusals answers = scene.observed.answers;
  forget_old(answers, scene.spec, scene.status, scene.observed);
  EXPECT_TRUE(answers.contains(name)) << "or it would be created again at once, for ever";
}

// In case somebody has deleted it. No process runs that would have the deleted one.
TEST(JobKey, IsAskedForAgainBeforeTheFirstProcessOfMany) {
  Scene scene;
  scene.start_all();
  scene.spec.run.suspend = true;
  for (int n = 0; n < 5; ++n) scene.decide();
  ASSERT_THAT(scene.observed.processes, IsEmpty());
  EXPECT_TRUE(scene.observed.has_key) << "a suspended job keeps it";
  scene.spec.run.suspend = false;
  const Decision resumed = scene.decide();
  EXPECT_THAT(all<CreateKey>(resumed), ElementsAre(key_of(scene)));
  EXPECT_THAT(keys_of(resumed), Not(IsEmpty()));
}

TEST(JobKey, IsNotDeletedBeforeItsJob) {
  Scene scene;
  scene.start_all();
  for (const train::Member& member : {coordinator, ps(0), worker(0), worker(1)}) scene.exits(member, Exit::succeeded);
  const Decision last = scene.decide();
  EXPECT_TRUE(holds(scene.status, ConditionType::succeeded));
  EXPECT_THAT(last.actions, Not(IsEmpty())) << "the Service and the configuration go";
  EXPECT_THAT(scene.decide().actions, IsEmpty());
  EXPECT_TRUE(scene.observed.has_key);
}

// Members that an earlier release started know each other by the job's UID. Those that replace them must do so, too.
TEST(JobKey, IsOfNoUseToMembersOfAReleaseWithoutKeysAndToThoseThatTalkToThem) {
  Scene scene;
  scene.start_all();
  for (ObservedProcess& process : scene.observed.processes) process.without_key = true;
  scene.observed.has_key = false;
  scene.exits(worker(1), Exit::platform_error);
  const Decision within = scene.decide();
  EXPECT_THAT(all<CreateKey>(within), IsEmpty());
  EXPECT_THAT(keys_of(within), ElementsAre(""));
  scene.start_all();
  restarts_all(scene);
  ASSERT_EQ(scene.status.attempt, 1);
  scene.now += seconds(10);
  const Decision next = scene.decide();
  EXPECT_THAT(all<CreateKey>(next), ElementsAre(key_of(scene)));
  EXPECT_THAT(keys_of(next), Each(key_name(scene.spec)));
}

TEST(JobKey, IsNotNeededWhereThereIsOneProcessOrTheProgramIsTheUsers) {
  Scene single;
  single.spec.config.strategy = train::Strategy::single;
  Scene own(own_job({.framework = Framework::pytorch, .workers = 2}));
  for (Scene* scene : {&single, &own}) {
    const Decision decision = scene->decide();
    EXPECT_EQ(key_name(scene->spec), "");
    EXPECT_THAT(all<CreateKey>(decision), IsEmpty());
    EXPECT_THAT(keys_of(decision), Each(""));
  }
}

}  // namespace
}  // namespace carrack::control
