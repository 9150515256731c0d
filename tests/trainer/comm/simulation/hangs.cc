// Members that hang, or that others cannot reach: they stay so until they are replaced. The operator replaces those
// that the coordinator names. In another story it replaces none, as it would one that it has replaced a moment ago:
// workers get well again, and coordinators stand still for a while.
#include "tests/trainer/comm/simulation/world.h"

namespace carrack::train::simulation {
namespace {

// A worker that is well does its batch, and is admitted when it next opens a stream.
constexpr Time known_to_be_well_within = 10 * second;
// After a coordinator stood still, some members come back later than others.
constexpr Time back_within = 3 * second;

}  // namespace

std::vector<Process*> World::newest_of(wire::Role role) {
  std::vector<Process*> all;
  for (const auto& [place, slot] : slots_) {
    if (place.role == role && !slot.newest->ended()) all.push_back(slot.newest);
  }
  return all;
}

// One worker always computes, as nobody can know that all hang. In Sync it must have lanes, as one without shows
// nothing of the first batch.
void World::begin_hang() {
  const std::vector<Process*> workers = newest_of(wire::WORKER), servers = newest_of(wire::PS);
  if (finished_at_ || workers.empty() || servers.empty()) return;
  harm();
  Process& worker = *workers[random_.below(workers.size())];
  Process& server = *servers[random_.below(servers.size())];
  switch (random_.below(3)) {
    case 0: {
      const auto hang = std::ranges::any_of(workers, [](const Process* one) { return one->hangs(); });
      const bool all_have_lanes = !job_.sync || job_.lanes_dealt == 0 || job_.lanes_dealt >= job_.workers;
      if (!hang && workers.size() > 1 && all_have_lanes) worker.hang();
      return;
    }
    case 1:
      return network_.cut(worker, server);
    default:
      for (const Process* one : workers) network_.cut(*one, server);
  }
}

void World::begin_hang_that_ends() {
  const std::vector<Process*> workers = newest_of(wire::WORKER);
  if (finished_at_ || workers.size() < 2) return;
  if (std::ranges::any_of(workers, [](const Process* one) { return one->hangs(); })) return;
  harm();
  Process& worker = *workers[random_.below(workers.size())];
  worker.hang();
  schedule_.after(random_.between(30, 400) * second, [this, &worker] {
    worker.get_well();
    well_.insert(&worker);
    well_ones_are_known_by_ = schedule_.now() + known_to_be_well_within;
  });
}

void World::begin_standstill() {
  Process* one = coordinator();
  const std::vector<Process*> servers = newest_of(wire::PS);
  if (finished_at_ || one == nullptr || one->paused() || servers.empty()) return;
  harm();
  ++stats_.standstills;
  one->pause();
  schedule_.after(100 * millisecond, [this, one, server = servers[random_.below(servers.size())]] {
    network_.lose_streams_of(*one);
    network_.cut(*one, *server);
  });
  schedule_.after(random_.between(70, 150) * second, [this, one] {
    one->wake();
    schedule_.after(back_within, [this, one] { network_.heal(*one); });
    well_ones_are_known_by_ = schedule_.now() + back_within + known_to_be_well_within;
  });
}

bool World::may_be_hung(const Process& process) const {
  const bool was = well_.contains(&process) && schedule_.now() < well_ones_are_known_by_;
  return process.hangs() || was || network_.was_cut(process);
}

// About once a second, as the operator does.
void World::look_for_hung() {
  if (finished_at_) return;
  if (const Process* asked = coordinator(); asked != nullptr && !asked->paused()) {
    for (const Hung& hung : asked->tells_hung()) {
      const Place place{hung.member.role == Role::ps ? wire::PS : wire::WORKER,
                        static_cast<std::uint32_t>(hung.member.index)};
      const bool is_of_newest = slots_.at(place).incarnation == hung.incarnation;
      if (is_of_newest || planted(Plant::hung_replaced_twice)) replace_hung(place);
    }
  }
  schedule_.after(second, [this] { look_for_hung(); });
}

void World::replace_hung(Place place) {
  Process& process = *slots_.at(place).newest;
  if (process.ended() || planted(Plant::hung_not_replaced)) return;
  if (!may_be_hung(process)) violate(process.name() + " is taken for hung, and is not");
  if (named_.insert(&process).second) ++(place.role == wire::PS ? stats_.hung_servers : stats_.hung_workers);
  if (story_ != Story::recovers) process.kill();
}

}  // namespace carrack::train::simulation
