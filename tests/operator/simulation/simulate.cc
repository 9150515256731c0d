#include "tests/operator/simulation/simulate.h"

#include "tests/operator/simulation/two_jobs.h"
#include "tests/operator/simulation/world.h"

namespace carrack::simulation {
namespace {

constexpr int rounds_of_faults = 150;
// A small job without faults ends within these.
constexpr int rounds_of_a_small_job = 60;

using Points = std::array<std::optional<Faults::Point>, 2>;

Outcome outcome_of(World& world, int rounds) {
  try {
    world.go_wrong(rounds);
    return {std::nullopt, world.calm_down()};
  } catch (const Violation& violation) {
    return {violation, ""};
  }
}

std::string text_of(const Points& points) {
  std::string text;
  for (const auto& point : points) {
    if (point) text += " " + std::to_string(static_cast<int>(point->fault)) + "@" + std::to_string(point->number);
  }
  return text;
}

// Tries the points so far with one more fault at each point there is, until a world no longer comes to that point.
bool extend(const Points& points, std::size_t at, int together, const PlantedBug* bug, Exhausted& exhausted) {
  for (std::size_t kind = 0; kind < fault_kinds; ++kind) {
    const auto fault = static_cast<Fault>(kind);
    // Of two faults the order does not matter: the later in the list comes second.
    const bool same = at > 0 && points[at - 1]->fault == fault;
    if (at > 0 && fault < points[at - 1]->fault) continue;
    for (std::uint64_t number = same ? points[at - 1]->number + 1 : 1;; ++number) {
      Points next = points;
      next.at(at) = Faults::Point{fault, number};
      World world{Faults(next), bug};
      exhausted.violation = outcome_of(world, rounds_of_a_small_job).violation;
      ++exhausted.worlds;
      exhausted.points = text_of(next);
      if (exhausted.violation) return false;
      if (world.asked(fault) < number) break;
      if (static_cast<int>(at) + 1 < together && !extend(next, at + 1, together, bug, exhausted)) return false;
    }
  }
  return true;
}

}  // namespace

Outcome outcome_of(std::uint64_t seed, const PlantedBug* bug) {
  World world{Faults(seed), bug};
  return outcome_of(world, rounds_of_faults);
}

Outcome outcome_of_releases(std::uint64_t seed, const PlantedBug* bug) {
  World world{Faults(seed), bug, true};
  return outcome_of(world, rounds_of_faults);
}

SharedOutcome outcome_of_two_jobs(std::uint64_t seed, const PlantedBug* bug) {
  TwoJobs world(seed, bug);
  try {
    world.go_wrong(rounds_of_faults);
    return {std::nullopt, world.calm_down(), world.has_waited()};
  } catch (const Violation& violation) {
    return {violation, {}, world.has_waited()};
  }
}

Exhausted exhaust(int together, const PlantedBug* bug) {
  Exhausted exhausted;
  extend({}, 0, together, bug, exhausted);
  return exhausted;
}

}  // namespace carrack::simulation
