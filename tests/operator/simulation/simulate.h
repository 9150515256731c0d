// Runs worlds: one of a seed, or all small ones with every single fault and every pair of faults at every point.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/operator/simulation/planted.h"

namespace carrack::simulation {

struct Outcome {
  std::optional<Violation> violation;
  std::string end;  // the reason of the job's last condition, or Deleted
};

// With a planted bug, or nullptr.
Outcome outcome_of(std::uint64_t seed, const PlantedBug* bug);

// Of a world in which operators of three releases follow each other.
Outcome outcome_of_releases(std::uint64_t seed, const PlantedBug* bug);

struct SharedOutcome {
  std::optional<Violation> violation;
  std::vector<std::string> ends;  // the reasons of both jobs
  bool has_waited = false;
};

// Of two jobs with room for one and a half.
SharedOutcome outcome_of_two_jobs(std::uint64_t seed, const PlantedBug* bug);

struct Exhausted {
  std::uint64_t worlds = 0;
  std::optional<Violation> violation;
  std::string points;  // where the faults of the violation were
};

// `together`: 1 fault in each world, or 2.
Exhausted exhaust(int together, const PlantedBug* bug);

}  // namespace carrack::simulation
