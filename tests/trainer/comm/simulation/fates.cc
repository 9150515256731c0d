// Faults of processes, and their replacement.
#include "tests/trainer/comm/simulation/world.h"

namespace carrack::train::simulation {

void World::gone(const Process& process) {
  Slot& slot = slots_.at(process.place());
  if (finished_at_ || slot.newest != &process || slot.done || !wanted(process.place())) return;
  replace_after(process.place(), slot.incarnation, random_.between(50, 2000) * millisecond);
}

// Unless it was replaced in the meantime.
void World::replace_after(Place place, std::uint32_t incarnation, Time delay) {
  schedule_.after(delay, [this, place, incarnation] {
    if (!finished_at_ && wanted(place) && slots_.at(place).incarnation == incarnation) start(place);
  });
}

void World::succeeded(const Process& process) {
  Slot& slot = slots_.at(process.place());
  if (process.place().role == wire::COORDINATOR) return end_job();
  if (slot.newest == &process) slot.done = true;
}

void World::superseded(const Process& process) {
  ++stats_.superseded;
  if (slots_.at(process.place()).newest == &process)
    violate(process.name() + " is told that it is superseded, and is not");
}

// The job is over. What an older start of the coordinator does then makes no difference.
void World::failed(const Process& coordinator) {
  if (slots_.at(coordinator.place()).newest != &coordinator) return;
  if (job_as_found().data() == job_.data()) violate(coordinator.name() + " fails, and the data is what it was");
  ++stats_.failed;
  end_job();
}

// As the operator does: ends the members that do not know. It cannot reach zombies.
void World::end_job() {
  if (finished_at_) return;
  finished_at_ = schedule_.now();
  stats_.finished_after_calm = *finished_at_ - std::min(*finished_at_, trains_from());
  for (auto& [place, slot] : slots_) {
    if (place.role != wire::COORDINATOR) slot.newest->kill();
  }
}

void World::next_fault() {
  schedule_.after(random_.between(1, 2 * weather_.fault_every), [this] {
    if (calm() || finished_at_) return;
    const std::uint64_t which = random_.below(weather_.kills + weather_.pauses + weather_.breaks);
    if (which < weather_.breaks) {
      harm();
      network_.lose_any_stream();
    } else {
      auto slot = std::next(slots_.begin(), static_cast<std::ptrdiff_t>(random_.below(slots_.size())));
      hit(*slot->second.newest);
    }
    next_fault();
  });
}

void World::point_passed(Process& process) {
  if (!calm() && !finished_at_ && random_.chance(weather_.at_points)) hit(process);
}

void World::hit(Process& process) {
  if (process.ended() || weather_.kills + weather_.pauses == 0) return;
  harm();
  if (random_.below(weather_.kills + weather_.pauses) < weather_.kills) {
    ++stats_.kills;
    process.kill();
  } else {
    stop_for_a_while(process);
  }
}

void World::stop_for_a_while(Process& process) {
  if (process.paused()) return;
  ++stats_.pauses;
  process.pause();
  schedule_.after(random_.between(100, 15'000) * millisecond, [this, &process] {
    harm();
    process.wake();
  });
  if (random_.chance(300)) {
    schedule_.after(random_.between(1, 10) * second, [this, &process] { network_.lose_streams_of(process); });
  }
  if (random_.chance(600)) {
    replace_after(process.place(), process.incarnation(), random_.between(100, 3000) * millisecond);
  }
}

}  // namespace carrack::train::simulation
