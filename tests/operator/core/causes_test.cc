// Messages about many members: one clause for each cause, and never more than 1,024 bytes.
#include "operator/core/causes.h"

#include <gtest/gtest.h>

#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

const std::string no_room = "0/120 nodes are available: 120 Insufficient cpu.";

std::string message(const Scene& scene, ConditionType type) {
  return find(scene.status, type)->message;
}

TEST(Causes, NameAtMostThreeMembersOfThoseThatTheSameIsSaidOf) {
  Scene scene(large_job(64));
  scene.spec.config.workers.min = 60;
  scene.start_all();
  for (const int index : {3, 5, 8, 13, 21}) {
    scene.current(worker(index)).state = ProcessState::pending;
    scene.current(worker(index)).message = no_room;
  }
  scene.current(worker(0)).state = ProcessState::pending;
  scene.current(ps(0)).state = ProcessState::pending;
  scene.decide();
  EXPECT_EQ(message(scene, ConditionType::running),
            "ps 0 is starting; worker 0 is starting; 5 of 64 workers (3, 5, 8, ...): " + no_room);
}

TEST(Causes, AreOfOneRoleEach) {
  Scene scene(some_job(2, 2));
  scene.decide();
  EXPECT_EQ(message(scene, ConditionType::running),
            "coordinator 0 is starting; 2 of 2 ps (0, 1) are starting; 2 of 2 workers (0, 1) are starting");
}

TEST(Causes, OfEndsAreGroupedToo) {
  Scene scene(some_job(1, 5));
  scene.start_all();
  std::erase_if(scene.observed.processes, [](const auto& one) { return one.member.role == train::Role::worker; });
  scene.decide();
  EXPECT_EQ(message(scene, ConditionType::restarting), "5 of 5 workers (0, 1, 2, ...): vanished");
}

TEST(Causes, OfMembersThatRestOrWereNeverStartedAreGrouped) {
  EXPECT_EQ(describe_causes({{worker(0), " rests", " rest"}, clause_of(worker(1), "x"), {worker(2), " rests", " rest"}},
                            {{train::Role::worker, {.desired = 9}}}),
            "2 of 9 workers (0, 2) rest; worker 1: x");
  Scene scene;
  scene.start_all();
  scene.status.members.at(ps(0)).failures = 2;
  scene.exits(ps(0), train::Exit::bug);
  scene.decide();
  EXPECT_EQ(message(scene, ConditionType::running),
            "coordinator 0 waits before its next start; ps 0 waits before its next start; "
            "2 of 2 workers (0, 1) wait before their next start");
}

TEST(Causes, AreAtMost1024BytesHoweverManyThereAre) {
  Scene scene(large_job(1'000));
  scene.decide();
  for (ObservedProcess& process : scene.observed.processes) process.message = process.name + std::string(700, 'x');
  scene.decide();
  const std::string waits = message(scene, ConditionType::running);
  EXPECT_LE(waits.size(), 1'024U);
  EXPECT_GT(waits.size(), 900U);
  EXPECT_EQ(waits.find("coordinator 0: line-pvhrt-coordinator-0-0-1xxx"), 0U);
  EXPECT_NE(waits.find(" bytes left out ... xxx"), std::string::npos);
}

TEST(Causes, KeepTheEndOfTheLastWordsOfAProcess) {
  Scene scene;
  scene.start_all();
  std::string log;
  while (log.size() < 2'000) log += "ö";
  scene.exits(ps(0), train::Exit::bug, log + "the cause");
  scene.decide();
  const std::string ends = message(scene, ConditionType::restarting);
  EXPECT_LE(ends.size(), 1'024U);
  EXPECT_EQ(ends.find("ps 0: Bug: ö"), 0U);
  EXPECT_EQ(ends.substr(ends.size() - 11), "öthe cause");
}

}  // namespace
}  // namespace carrack::control
