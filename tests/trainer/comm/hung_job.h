// A job whose members say each second what they do, for tests of what its coordinator concludes of that.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/trainer/comm/messages.h"

namespace carrack::train {

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
    if (says_.contains(peer)) *message.mutable_hello()->mutable_alive() = with_times(peer, says_.at(peer));
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
  void has_computed(PeerId peer, std::uint64_t batches, std::chrono::seconds last_took) {
    says_[peer].mutable_work()->set_batches(batches);
    says_[peer].mutable_work()->set_last_took_ms(static_cast<std::uint64_t>(last_took.count()) * 1000);
  }
  // Its thread hangs: it does not check its streams any more.
  void hangs(PeerId peer) { hangs_since_[peer] = now; }
  // The incarnation of the server in its assignment.
  void knows(PeerId peer, int server, std::uint32_t incarnation) {
    says_[peer].mutable_links(server)->set_incarnation(incarnation);
  }
  void loses(PeerId peer, int server) { unreached_since_[{peer, server}] = now; }
  void reaches(PeerId peer, int server) { unreached_since_.erase({peer, server}); }
  void says_nothing(PeerId peer) { says_[peer] = {}; }
  void leaves(PeerId peer) { says_.erase(peer); }
  // Its process has another stream, and goes on with what it does.
  void is_now(PeerId before, PeerId peer) {
    says_.insert({peer, says_.extract(before).mapped()});
    since_[peer] = since_.at(before);
    for (const int server : {0, 1}) {
      if (const auto lost = unreached_since_.find({before, server}); lost != unreached_since_.end())
        unreached_since_[{peer, server}] = lost->second;
    }
  }

  void pass(std::chrono::seconds time) {
    for (const Instant end = now + time; now < end;) {
      now += std::chrono::seconds(1);
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
  // The members whose streams the next tick ends, `after` this moment. No member says anything before it.
  std::vector<PeerId> lost_at_tick(std::chrono::milliseconds after) {
    now += after;
    const Commands commands = job.tick(now);
    keep(commands);
    std::vector<PeerId> lost;
    for (const Command& command : commands) {
      if (const auto* end = std::get_if<Disconnect>(&command)) lost.push_back(end->peer);
    }
    return lost;
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
    if (const auto hangs = hangs_since_.find(peer); hangs != hangs_since_.end()) {
      for (wire::Link& link : *alive.mutable_links()) link.set_age_ms(since(hangs->second));
    }
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
  std::map<PeerId, Instant> since_, hangs_since_;
  std::map<std::pair<PeerId, int>, Instant> unreached_since_;
  std::map<PeerId, std::uint32_t> lanes_;
  Commands commands_;
};

constexpr Member first{Role::worker, 0}, second{Role::worker, 1};
constexpr Member server_0{Role::ps, 0}, server_1{Role::ps, 1};

}  // namespace carrack::train
