// Members that hang, or that others cannot reach: they stay so until they are replaced. The operator replaces those
// that the coordinator names.
#include "tests/trainer/comm/simulation/world.h"

namespace carrack::train::simulation {

std::vector<Process*> World::newest_of(wire::Role role) {
  std::vector<Process*> all;
  for (const auto& [place, slot] : slots_) {
    if (place.role == role && !slot.newest->ended()) all.push_back(slot.newest);
  }
  return all;
}

// One worker always computes, as nobody can know that all hang.
void World::begin_hang() {
  const std::vector<Process*> workers = newest_of(wire::WORKER), servers = newest_of(wire::PS);
  if (finished_at_ || workers.empty() || servers.empty()) return;
  harm();
  Process& worker = *workers[random_.below(workers.size())];
  Process& server = *servers[random_.below(servers.size())];
  switch (random_.below(3)) {
    case 0: {
      const auto hang = std::ranges::any_of(workers, [](const Process* one) { return one->hangs(); });
      if (!hang && workers.size() > 1) worker.hang();
      return;
    }
    case 1:
      return network_.cut(worker, server);
    default:
      for (const Process* one : workers) network_.cut(*one, server);
  }
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
  if (!process.hangs() && !network_.was_cut(process)) violate(process.name() + " is taken for hung, and is not");
  ++(place.role == wire::PS ? stats_.hung_servers : stats_.hung_workers);
  process.kill();
}

}  // namespace carrack::train::simulation
