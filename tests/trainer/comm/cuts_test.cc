// Limits and cuts, message by message. That they are safe whatever happens is for the simulation to show.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/trainer/comm/messages.h"

namespace carrack::train {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A job in Sync whose servers apply a step at each call. They never have to wait for a limit.
class JobInSync {
 public:
  explicit JobInSync(const CoordinatorSettings& settings)
      : job(settings, {}), timeline(begin(job, settings.incarnation)) {}

  // Returns the cuts of the first server that were ordered on the way.
  std::vector<wire::Cut> step(int count, milliseconds each) {
    std::vector<wire::Cut> ordered;
    for (int i = 0; i < count; ++i) {
      now += each;
      ++version;
      for (const PeerId server : {first_server, second_server}) {
        const Commands commands = job.received(server, applied(timeline, version), now);
        for (const auto& [to, cut] : cuts(commands)) {
          EXPECT_GE(cut.version(), limit) << "a server may have passed it";
          if (to == first_server) ordered.push_back(cut);
        }
        for (const auto& [to, raised] : limits(commands)) limit = std::max(limit, raised);
      }
      if (limit != 0) {
        EXPECT_TRUE(version < limit || !ordered.empty()) << "the servers wait at " << version;
      }
    }
    return ordered;
  }

  // Both servers save the cut. Returns whether it is committed.
  bool save(const wire::Cut& cut) {
    job.received(first_server, saved(cut, {}), now);
    return commit_in(job.received(second_server, saved(cut, {}), now));
  }

  bool commit_in(const Commands& commands) {
    const WriteCommit* write = commit(commands);
    if (write == nullptr) return false;
    job.committed(write->cut.number, Commit{write->cut.prefix, 0, write->cut.version, {}});
    return true;
  }

  Coordinator job;
  std::uint64_t timeline;
  std::uint64_t version = 0;
  std::uint64_t limit = 0;
  Instant now = start;
};

CoordinatorSettings cut_by_time(std::chrono::milliseconds every) {
  CoordinatorSettings with = settings(true, 1'000'000);
  with.batches_per_cut.reset();
  with.time_per_cut = every;
  return with;
}

TEST(JobCutByTime, IsCutSoonAfterItIsDue) {
  JobInSync one(cut_by_time(seconds(60)));
  EXPECT_TRUE(one.step(5900, milliseconds(10)).empty());
  const auto first = one.step(300, milliseconds(10));
  ASSERT_EQ(first.size(), 1U);
  EXPECT_LE(first[0].version(), one.version + 200) << "what is done in two seconds";
  one.step(300, milliseconds(10));
  EXPECT_TRUE(one.save(first[0]));
  EXPECT_TRUE(one.step(5000, milliseconds(10)).empty());
  EXPECT_EQ(one.step(1000, milliseconds(10)).size(), 1U);
}

TEST(JobCutByTime, IsCutSoonWhereItsStepsBecomeSlow) {
  JobInSync one(cut_by_time(seconds(60)));
  one.step(10'000, milliseconds(1));
  one.step(2000, milliseconds(20));
  const auto cut = one.step(50, milliseconds(1000));
  ASSERT_EQ(cut.size(), 1U);
}

TEST(JobCutByTime, IsCutWithinAMinuteAfterARestart) {
  for (const std::uint32_t incarnation : {1u, 2u}) {
    CoordinatorSettings with = cut_by_time(seconds(300));
    with.incarnation = incarnation;
    JobInSync one(with);
    EXPECT_EQ(one.step(650, milliseconds(100)).size(), incarnation - 1);
  }
}

TEST(JobCutByTime, IsCutAtItsEnd) {
  CoordinatorSettings with = cut_by_time(seconds(60));
  with.total_batches = 7;
  JobInSync one(with);
  const auto cut = one.step(7, milliseconds(1));
  ASSERT_EQ(cut.size(), 1U);
  EXPECT_EQ(cut[0].version(), 7U);
}

TEST(JobCutByTime, HasNoThirdCutOpenAndGoesOn) {
  JobInSync one(cut_by_time(seconds(1)));
  EXPECT_EQ(one.step(1000, milliseconds(100)).size(), 2U);
  EXPECT_EQ(one.version, 1000U);
}

TEST(JobCutBySteps, LeavesOutMultiplesThatComeTooSoon) {
  CoordinatorSettings with = settings(true, 1'000'000);
  with.cut_interval_min = seconds(1);
  JobInSync one(with);
  std::vector<std::uint64_t> versions;
  for (int i = 0; i < 500; ++i) {
    for (const wire::Cut& cut : one.step(1, milliseconds(10))) {
      EXPECT_TRUE(one.save(cut));
      versions.push_back(cut.version());
    }
  }
  ASSERT_GE(versions.size(), 4U);
  for (const std::uint64_t version : versions) EXPECT_EQ(version % 10, 0U);
  for (std::size_t i = 1; i < versions.size(); ++i) EXPECT_GE(versions[i] - versions[i - 1], 50U);
}

TEST(JobCutBySteps, WaitsWithTwoCutsOpen) {
  JobInSync one(settings(true));
  const auto first = one.step(10, milliseconds(10));
  ASSERT_EQ(first.size(), 1U);
  const auto second = one.step(10, milliseconds(10));
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(one.limit, 30U);
  EXPECT_TRUE(one.step(9, milliseconds(10)).empty());
  EXPECT_EQ(one.limit, 30U) << "a third would be ordered there";
  EXPECT_TRUE(one.save(first[0]));
  EXPECT_TRUE(one.save(second[0]));
}

TEST(Commit, WaitsUntilTheOneBeforeIsLongEnoughAgo) {
  CoordinatorSettings with = cut_by_time(milliseconds(1000));
  with.cut_interval_min = milliseconds(1000);
  JobInSync one(with);
  const auto both = one.step(500, milliseconds(10));
  ASSERT_EQ(both.size(), 2U);
  EXPECT_TRUE(one.save(both[0]));
  EXPECT_FALSE(one.save(both[1]));
  EXPECT_FALSE(one.commit_in(one.job.tick(one.now + milliseconds(999))));
  EXPECT_TRUE(one.commit_in(one.job.tick(one.now + milliseconds(1000))));
}

// The servers hold version 25 and may go on to 30; the last commit is of 10.
class NewCoordinator : public testing::Test {
 protected:
  Commands begin(bool knows_limits, std::uint64_t other_limit = 30) {
    for (const PeerId server : {first_server, second_server}) {
      wire::Message message = hello(wire::PS, static_cast<std::uint32_t>(server - 1));
      wire::Held& held = *message.mutable_hello()->mutable_held();
      held.set_timeline(7);
      held.set_version(25);
      held.set_limit(server == first_server ? 30 : other_limit);
      if (!knows_limits) message.mutable_hello()->clear_protocol();
      Commands commands = job.received(server, message, start);
      if (server == second_server) return commands;
    }
    return {};
  }

  Coordinator job{[] {
                    CoordinatorSettings with = cut_by_time(seconds(60));
                    with.incarnation = 2;
                    return with;
                  }(),
                  Commit{"checkpoint-10-1-1-1.manifest", 0, 10, {}}};
};

TEST_F(NewCoordinator, CutsAtTheLimitWhereServersHoldMoreThanTheLastCommit) {
  const Commands first = begin(true);
  EXPECT_EQ(limits(first).at(second_server), 30U);
  EXPECT_TRUE(cuts(first).empty());
  const Commands later = job.received(worker, hello(wire::WORKER, 0), start);
  EXPECT_TRUE(cuts(later).empty());
  wire::Cut cut;
  for (std::uint64_t version = 26; version <= 30 && cut.version() == 0; ++version) {
    cut = apply_steps(job, 7, version - 1, version);
  }
  EXPECT_EQ(cut.version(), 30U) << "a server may be there already";
}

TEST_F(NewCoordinator, RaisesALowerLimitOfAServer) {
  EXPECT_EQ(limits(begin(true, 26)).at(second_server), 30U);
}

TEST_F(NewCoordinator, OrdersACutOfServersThatDoNotKnowLimits) {
  const Commands first = begin(false, 25);
  EXPECT_EQ(cuts(first).at(second_server).version(), 30U) << "it waits at 25";
}

TEST(ServersThatDoNotKnowLimits, GoOnFromCutToCut) {
  Coordinator job(cut_by_time(seconds(60)), {});
  std::vector<std::uint64_t> ordered;
  const auto note = [&](const Commands& commands) {
    EXPECT_TRUE(limits(commands).empty() || limits(commands).at(first_server) == 0);
    if (!cuts(commands).empty()) ordered.push_back(cuts(commands).at(first_server).version());
  };
  for (const PeerId server : {first_server, second_server}) {
    wire::Message message = hello(wire::PS, static_cast<std::uint32_t>(server - 1));
    message.mutable_hello()->clear_protocol();
    job.received(server, message, start);
  }
  for (const PeerId server : {first_server, second_server}) {
    wire::Message loaded;
    loaded.mutable_loaded()->set_timeline((std::uint64_t{1} << 32) + 1);
    note(job.received(server, loaded, start));
  }
  ASSERT_EQ(ordered.size(), 1U);
  EXPECT_GT(ordered[0], 0U);
}

// A job in Async with one worker.
class JobInAsync : public testing::Test {
 protected:
  // The worker finishes what it was granted until there is no more. Returns the last commands.
  Commands finish_all() {
    Commands last;
    while (!granted.empty()) {
      const std::uint64_t batch = granted.front();
      granted.erase(granted.begin());
      last = job.received(worker, finished(timeline, batch), start);
      note(last);
    }
    return last;
  }
  void note(const Commands& commands) {
    for (const std::uint64_t batch : grants(commands)) granted.push_back(batch);
  }

  // The first grants are among the commands that begin() reads.
  Coordinator job = coordinator(false);
  std::uint64_t timeline = begin(job);
  std::vector<std::uint64_t> granted{0, 1};
};

TEST_F(JobInAsync, GoesOnWhileItsSnapshotsAreSaved) {
  const auto ordered = cuts(finish_all());
  ASSERT_EQ(ordered.size(), 2U);
  EXPECT_EQ(ordered.at(first_server).version(), 10U);
  EXPECT_TRUE(job.received(first_server, snapshotted(ordered.at(first_server), {{0, 10}}), start).empty());
  note(job.received(second_server, snapshotted(ordered.at(second_server), {{0, 10}}), start));
  EXPECT_EQ(granted, (std::vector<std::uint64_t>{10, 11}));
  finish_all();
  job.received(first_server, saved(ordered.at(first_server), {{0, 10}}), start);
  const Commands last = job.received(second_server, saved(ordered.at(second_server), {{0, 10}}), start);
  ASSERT_NE(commit(last), nullptr);
  EXPECT_EQ(commit(last)->cut.applied, (std::vector<BatchRun>{{0, 10}})) << "not what was done since";
}

TEST_F(JobInAsync, GrantsAgainWhatOnlySomeServersHave) {
  const auto ordered = cuts(finish_all());
  job.received(first_server, snapshotted(ordered.at(first_server), {{0, 10}, {12, 13}}), start);
  const Commands again = job.received(second_server, snapshotted(ordered.at(second_server), {{0, 10}}), start);
  EXPECT_TRUE(cuts(again).empty());
  note(again);
  const auto next = cuts(finish_all());
  ASSERT_EQ(next.size(), 2U);
  EXPECT_EQ(next.at(first_server).version(), 20U);
  EXPECT_EQ(commit(job.received(first_server, saved(ordered.at(first_server), {{0, 10}, {12, 13}}), start)), nullptr);
  EXPECT_EQ(commit(job.received(second_server, saved(ordered.at(second_server), {{0, 10}}), start)), nullptr);
}

TEST_F(JobInAsync, CutsAgainWhereAllServersHaveMoreThanWasCounted) {
  const auto ordered = cuts(finish_all());
  job.received(first_server, snapshotted(ordered.at(first_server), {{0, 10}, {12, 13}}), start);
  note(job.received(second_server, snapshotted(ordered.at(second_server), {{0, 10}, {12, 13}}), start));
  EXPECT_EQ(granted, (std::vector<std::uint64_t>{10, 11}));
}

TEST_F(JobInAsync, GoesOnOnlyWhenServersOfAnEarlierReleaseHaveSaved) {
  const auto ordered = cuts(finish_all());
  EXPECT_TRUE(job.received(first_server, saved(ordered.at(first_server), {{0, 10}}), start).empty());
  const Commands last = job.received(second_server, saved(ordered.at(second_server), {{0, 10}}), start);
  EXPECT_NE(commit(last), nullptr);
  EXPECT_EQ(grants(last), (std::vector<std::uint64_t>{10, 11}));
}

TEST(JobInAsyncWithTwoWorkers, GrantsAsManyBatchesAsEachTakes) {
  CoordinatorSettings with = settings(false);
  with.batches_per_cut.reset();
  Coordinator job(with, {});
  begin(job);
  wire::Message message = hello(wire::WORKER, 1);
  message.mutable_hello()->set_leases(5);
  EXPECT_EQ(grants(job.received(worker + 1, message, start)), (std::vector<std::uint64_t>{2, 3, 4, 5, 6}));
  message = hello(wire::WORKER, 2);
  message.mutable_hello()->set_leases(1'000'000);
  EXPECT_EQ(grants(job.received(worker + 2, message, start)).size(), 8U);
}

TEST_F(JobInAsync, RefusesASnapshotOfBatchesThatCannotBe) {
  const auto ordered = cuts(finish_all());
  const Commands commands = job.received(first_server, snapshotted(ordered.at(first_server), {{0, 101}}), start);
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_EQ(std::get<SendTo>(commands[0]).message.refused().reason(),
            "it saves batches that this job cannot have applied");
}

}  // namespace
}  // namespace carrack::train
