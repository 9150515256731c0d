// Which members a coordinator takes for hung, by what workers say of themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/trainer/comm/messages.h"

namespace carrack::train {
namespace {

using std::chrono::seconds;
using testing::IsEmpty;
using testing::SizeIs;

constexpr PeerId second_worker = 4, third_worker = 5;

// A job with both servers and two workers. Each second passes with an Alive of all of them and a tick.
class Job {
 public:
  explicit Job(bool sync = true) : job(coordinator(sync)), timeline(begin(job)) {
    join(second_worker, 1);
    for (const PeerId peer : {worker, second_worker}) {
      says_[peer] = reaching_all();
      is_idle(peer);
    }
    job.tick(now);
  }

  void join(PeerId peer, std::uint32_t index, std::uint32_t incarnation = 1) {
    wire::Message message = hello(wire::WORKER, index);
    message.mutable_hello()->set_incarnation(incarnation);
    keep(job.received(peer, message, now));
  }

  // From now on it says this.
  void computes(PeerId peer, std::uint64_t batch, wire::Work::Kind kind = wire::Work::COMPUTING) {
    computes(peer, batch, kind, timeline);
  }
  void computes(PeerId peer, std::uint64_t batch, wire::Work::Kind kind, std::uint64_t of_timeline) {
    set_work(peer, kind, batch);
    says_[peer].mutable_work()->set_timeline(of_timeline);
  }
  void awaits(PeerId peer, std::uint64_t batch) { set_work(peer, wire::Work::PARAMETERS, batch); }
  void is_idle(PeerId peer) { set_work(peer, wire::Work::NOTHING, 0); }
  void has_computed(PeerId peer, std::uint64_t batches, seconds last_took) {
    says_[peer].mutable_work()->set_batches(batches);
    says_[peer].mutable_work()->set_last_took_ms(static_cast<std::uint64_t>(last_took.count()) * 1000);
  }
  void loses(PeerId peer, int server) { unreached_since_[{peer, server}] = now; }
  void reaches(PeerId peer, int server) { unreached_since_.erase({peer, server}); }
  void says_nothing(PeerId peer) { says_[peer] = {}; }
  void leaves(PeerId peer) { says_.erase(peer); }

  void pass(seconds time) {
    for (const Instant end = now + time; now < end;) {
      now += seconds(1);
      for (const PeerId server : {first_server, second_server}) say(server, {});
      for (auto& [peer, alive] : says_) say(peer, with_times(peer, alive));
      keep(job.tick(now));
    }
  }

  // Those that have been refused since the last call, with the reason.
  std::map<PeerId, std::string> take_refused() {
    std::map<PeerId, std::string> refused;
    for (const Command& command : std::exchange(commands_, {})) {
      const auto* sent = std::get_if<SendTo>(&command);
      if (sent == nullptr || !sent->message.has_refused()) continue;
      EXPECT_FALSE(sent->message.refused().superseded());
      refused[sent->peer] = sent->message.refused().reason();
    }
    return refused;
  }
  // The lanes of the worker's last assignment.
  std::uint32_t lanes_of(PeerId peer) const { return lanes_.at(peer); }

  void apply_step(std::uint64_t version) {
    for (const PeerId server : {first_server, second_server})
      keep(job.received(server, applied(timeline, version), now));
  }

  Instant now = start;
  Coordinator job;
  const std::uint64_t timeline;

 private:
  static wire::Alive reaching_all() {
    wire::Alive alive;
    for (std::uint32_t server = 0; server < 2; ++server) {
      alive.add_links()->set_server(server);
      alive.mutable_links(static_cast<int>(server))->set_incarnation(1);
    }
    return alive;
  }

  void set_work(PeerId peer, wire::Work::Kind kind, std::uint64_t batch) {
    wire::Work& work = *says_[peer].mutable_work();
    work.set_kind(kind);
    work.set_batch(batch);
    work.set_timeline(timeline);
    if (work.batches() == 0) work.set_batches(1);
    since_[peer] = now;
  }

  wire::Alive with_times(PeerId peer, wire::Alive alive) {
    const auto since = [&](Instant begin) {
      return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now - begin).count());
    };
    if (alive.has_work()) alive.mutable_work()->set_for_ms(since(since_[peer]));
    for (const auto& [link, begin] : unreached_since_) {
      if (link.first == peer && alive.links_size() > 0)
        alive.mutable_links(link.second)->set_unreached_ms(since(begin));
    }
    return alive;
  }

  void say(PeerId peer, wire::Alive alive) {
    wire::Message message;
    *message.mutable_alive() = std::move(alive);
    keep(job.received(peer, message, now));
  }

  void keep(const Commands& commands) {
    for (const Command& command : commands) {
      commands_.push_back(command);
      const auto* sent = std::get_if<SendTo>(&command);
      if (sent != nullptr && sent->message.has_assignment())
        lanes_[sent->peer] = sent->message.assignment().lane_count();
    }
  }

  std::map<PeerId, wire::Alive> says_;
  std::map<PeerId, Instant> since_;
  std::map<std::pair<PeerId, int>, Instant> unreached_since_;
  std::map<PeerId, std::uint32_t> lanes_;
  Commands commands_;
};

constexpr Member first{Role::worker, 0};
constexpr Member server_0{Role::ps, 0}, server_1{Role::ps, 1};

TEST(HungWorker, IsTheOneThatComputesAStepThatOthersHaveDone) {
  Job job;
  job.computes(worker, 0);
  job.awaits(second_worker, 1);
  job.pass(seconds(59));
  EXPECT_THAT(job.job.hung(), IsEmpty());
  EXPECT_EQ(job.lanes_of(second_worker), 2U);
  job.pass(seconds(1));
  const std::string why = "has computed step 1 for 60 s, and others are done";
  EXPECT_EQ(job.job.hung(), (std::vector<Hung>{{first, 1, why}}));
  EXPECT_EQ(job.take_refused(), (std::map<PeerId, std::string>{{worker, why}}));
  EXPECT_EQ(job.lanes_of(second_worker), 4U);
}

TEST(HungWorker, IsAlsoOneThatWaitsForItsRecords) {
  Job job;
  job.computes(worker, 0, wire::Work::RECORDS);
  job.awaits(second_worker, 1);
  job.pass(seconds(60));
  ASSERT_THAT(job.job.hung(), SizeIs(1));
  EXPECT_EQ(job.job.hung()[0].why, "has waited for the records of step 1 for 60 s, and others are done");
}

// The worker ends by itself when its program takes longer than it has said.
TEST(HungWorker, IsNoneWhoseProgramComputes) {
  Job job;
  job.computes(worker, 0, wire::Work::PROGRAM);
  job.awaits(second_worker, 1);
  job.pass(seconds(3600));
  EXPECT_THAT(job.job.hung(), IsEmpty());
  job.computes(worker, 0, wire::Work::RECORDS);
  job.pass(seconds(60));
  EXPECT_THAT(job.job.hung(), SizeIs(1));
}

TEST(HungWorker, IsRefusedUntilItsProcessIsANewOne) {
  Job job;
  job.computes(worker, 0);
  job.awaits(second_worker, 1);
  job.pass(seconds(60));
  job.take_refused();
  job.join(third_worker, 0);
  EXPECT_THAT(job.take_refused(), SizeIs(1));
  EXPECT_EQ(job.lanes_of(second_worker), 4U);
  EXPECT_THAT(job.job.hung(), SizeIs(1));
  job.join(third_worker + 1, 0, 2);
  EXPECT_THAT(job.take_refused(), IsEmpty());
  EXPECT_EQ(job.lanes_of(second_worker), 2U);
  EXPECT_THAT(job.job.hung(), IsEmpty());
}

TEST(HungWorker, IsNoneWhileNobodyElseIsDone) {
  Job job;
  for (const PeerId peer : {worker, second_worker}) job.computes(peer, 0);
  job.pass(seconds(3600));
  EXPECT_THAT(job.job.hung(), IsEmpty());
  Job alone;
  alone.job.closed(second_worker);
  alone.leaves(second_worker);
  alone.computes(worker, 0);
  alone.pass(seconds(3600));
  EXPECT_THAT(alone.job.hung(), IsEmpty());
}

TEST(HungWorker, MayTakeTwentyTimesAsLongAsTheMedian) {
  Job job;
  job.has_computed(second_worker, 2, seconds(10));
  job.computes(worker, 0);
  job.awaits(second_worker, 1);
  job.pass(seconds(199));
  EXPECT_THAT(job.job.hung(), IsEmpty());
  job.pass(seconds(1));
  EXPECT_THAT(job.job.hung(), SizeIs(1));
}

TEST(HungWorker, MayTakeFiveMinutesForItsFirstStep) {
  Job job;
  job.computes(worker, 0);
  job.has_computed(worker, 0, seconds(0));
  job.awaits(second_worker, 1);
  job.pass(seconds(299));
  EXPECT_THAT(job.job.hung(), IsEmpty());
  job.pass(seconds(1));
  EXPECT_THAT(job.job.hung(), SizeIs(1));
}

TEST(HungWorker, IsNoneOfWhichTheServersHaveTheStep) {
  Job job;
  job.computes(worker, 0);
  job.awaits(second_worker, 1);
  job.apply_step(1);
  job.pass(seconds(100));
  EXPECT_THAT(job.job.hung(), IsEmpty());
}

TEST(HungWorker, IsNoneOfAReleaseThatDoesNotSayWhatItDoes) {
  Job job;
  job.says_nothing(worker);
  job.awaits(second_worker, 1);
  job.pass(seconds(600));
  EXPECT_THAT(job.job.hung(), IsEmpty());
}

TEST(HungWorker, IsOneAtATimeAndOneAMinute) {
  Job job;
  job.join(third_worker, 2);
  job.computes(worker, 0);
  job.pass(seconds(1));
  job.computes(second_worker, 0);
  job.awaits(third_worker, 1);
  job.pass(seconds(60));
  EXPECT_THAT(job.job.hung(), SizeIs(1));
  EXPECT_EQ(job.job.hung()[0].member, first);
  job.pass(seconds(58));
  EXPECT_THAT(job.job.hung(), SizeIs(1));
  job.pass(seconds(2));
  EXPECT_THAT(job.job.hung(), SizeIs(2));
}

TEST(HungWorker, IsAlsoOneThatComputesAStepOfATimelineOrAnAssignmentBefore) {
  Job job;
  job.computes(worker, 0);
  job.apply_step(1);  // While another worker had its lanes.
  job.awaits(second_worker, 2);
  job.pass(seconds(60));
  EXPECT_THAT(job.job.hung(), SizeIs(1));
  Job later;
  later.computes(worker, 5, wire::Work::COMPUTING, later.timeline - 1);
  later.awaits(second_worker, 1);
  later.pass(seconds(60));
  EXPECT_THAT(later.job.hung(), SizeIs(1));
}

TEST(HungWorker, GivesItsLeasesBackInAsync) {
  Job job(false);
  const auto finish = [&](std::uint64_t batch) {
    return grants(job.job.received(second_worker, finished(job.timeline, batch), job.now));
  };
  // The leases of the two are 0, 1 and 2, 3.
  job.computes(worker, 0);
  job.computes(second_worker, 2);
  job.pass(seconds(300));
  EXPECT_THAT(job.job.hung(), IsEmpty());
  EXPECT_EQ(finish(2), std::vector<std::uint64_t>{4});
  job.computes(second_worker, 3);
  job.pass(seconds(1));
  ASSERT_THAT(job.job.hung(), SizeIs(1));
  EXPECT_EQ(job.job.hung()[0].member, first);
  EXPECT_THAT(job.take_refused(), SizeIs(1));
  EXPECT_EQ(finish(3), std::vector<std::uint64_t>{0});
}

TEST(HungWorker, IsAlsoOneThatHasTheOnlyLanesOrLeasesThatAreLeft) {
  for (const bool sync : {true, false}) {
    Job job(sync);
    if (!sync) {
      for (const std::uint64_t batch : {2, 3}) job.job.received(second_worker, finished(job.timeline, batch), job.now);
      for (std::uint64_t batch = 4; batch < 10; ++batch) {
        job.job.received(second_worker, finished(job.timeline, batch), job.now);
      }
    }
    job.pass(seconds(10));
    job.computes(worker, 0);
    job.is_idle(second_worker);
    job.pass(seconds(60));
    EXPECT_THAT(job.job.hung(), SizeIs(1)) << sync;
  }
}

TEST(CutOffWorker, IsReplacedIfAnotherReachesTheServer) {
  Job job;
  job.pass(seconds(60));
  job.loses(worker, 1);
  job.pass(seconds(14));
  EXPECT_THAT(job.job.hung(), IsEmpty());
  job.pass(seconds(1));
  const std::string why = "has not reached parameter server 1 for 15 s, and worker 1 reaches it";
  EXPECT_EQ(job.job.hung(), (std::vector<Hung>{{first, 1, why}}));
  EXPECT_EQ(job.take_refused(), (std::map<PeerId, std::string>{{worker, why}}));
}

TEST(CutOffWorker, IsNoneThatReachesItAgain) {
  Job job;
  job.pass(seconds(60));
  job.loses(worker, 1);
  job.pass(seconds(14));
  job.reaches(worker, 1);
  job.pass(seconds(60));
  EXPECT_THAT(job.job.hung(), IsEmpty());
}

TEST(CutOffWorker, IsNoneInTheFirstMinuteOfACoordinator) {
  Job job;
  job.loses(worker, 1);
  job.pass(seconds(59));
  EXPECT_THAT(job.job.hung(), IsEmpty());
  job.pass(seconds(1));
  EXPECT_THAT(job.job.hung(), SizeIs(1));
}

TEST(UnreachedServer, IsReplacedIfNoWorkerReachesIt) {
  Job job;
  job.pass(seconds(60));
  job.loses(worker, 1);
  job.loses(second_worker, 1);
  job.pass(seconds(15));
  EXPECT_EQ(job.job.hung(), (std::vector<Hung>{{server_1, 1, "no worker reaches it"}}));
  EXPECT_THAT(job.take_refused(), IsEmpty());
  // It keeps its place, so that training goes on if it is reached again.
  EXPECT_TRUE(job.job.is_training());
  job.reaches(worker, 1);
  job.pass(seconds(1));
  EXPECT_THAT(job.job.hung(), IsEmpty());
}

TEST(UnreachedServer, IsNotKnownWhileAWorkerDoesNotSay) {
  Job job;
  job.pass(seconds(60));
  job.loses(worker, 1);
  job.says_nothing(second_worker);
  job.pass(seconds(60));
  EXPECT_THAT(job.job.hung(), IsEmpty());
}

TEST(UnreachedServer, OrTheOnlyWorkerIsReplacedInTurn) {
  Job job;
  job.job.closed(second_worker);
  job.leaves(second_worker);
  job.pass(seconds(60));
  job.loses(worker, 1);
  job.pass(seconds(15));
  EXPECT_EQ(job.job.hung(), (std::vector<Hung>{{server_1, 1, "no worker reaches it"}}));
  // Its replacement is not reached either. The worker names it by the old incarnation, so both have incarnation 1 here.
  job.job.closed(second_server);
  job.job.received(second_server, hello(wire::PS, 1), job.now);
  EXPECT_THAT(job.job.hung(), IsEmpty());
  job.pass(seconds(60));
  EXPECT_EQ(job.job.hung(),
            (std::vector<Hung>{{first, 1, "cannot reach parameter server 1, whose process is a new one"}}));
}

TEST(MissingServer, IsReplacedAfterAMinute) {
  Job job;
  job.pass(seconds(60));
  job.job.closed(first_server);
  job.pass(seconds(59));
  EXPECT_THAT(job.job.hung(), IsEmpty());
  job.pass(seconds(1));
  EXPECT_EQ(job.job.hung(), (std::vector<Hung>{{server_0, 1, "has opened no new stream to the coordinator for 60 s"}}));
  job.job.received(first_server, hello(wire::PS, 0), job.now);
  EXPECT_THAT(job.job.hung(), IsEmpty());
}

TEST(MissingServer, IsNoneThatComesBack) {
  Job job;
  job.pass(seconds(60));
  job.job.closed(first_server);
  job.pass(seconds(59));
  job.job.received(first_server, hello(wire::PS, 0), job.now);
  job.pass(seconds(60));
  EXPECT_THAT(job.job.hung(), IsEmpty());
}

}  // namespace
}  // namespace carrack::train
