// simulate FIRST COUNT [BUG]: runs so many seeds, prints each that violates, ends with 1 if there was one.
// simulate exhaustive 1|2: every fault, or every pair of faults, at every point of a small world.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/operator/simulation/simulate.h"

namespace carrack::simulation {
namespace {

const PlantedBug* bug_named(const std::string& name) {
  for (const PlantedBug& bug : planted_bugs()) {
    if (bug.name == name) return &bug;
  }
  std::fprintf(stderr, "simulate: there is no planted bug '%s'\n", name.c_str());
  std::exit(2);
}

int run_seeds(std::uint64_t first, std::uint64_t count, const PlantedBug* bug) {
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t violations = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const auto violation = outcome_of(seed, bug).violation;
    if (!violation) continue;
    ++violations;
    std::printf("seed %llu: %s: %s\n", static_cast<unsigned long long>(seed), violation->checker.c_str(),
                violation->text.c_str());
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("%llu seeds from %llu, %llu violations, %.1f s\n", static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(first), static_cast<unsigned long long>(violations), took.count());
  if (violations > 0)
    std::printf("add the seeds to tests/operator/simulation/seeds.txt, where they are replayed for ever\n");
  return violations > 0 ? 1 : 0;
}

int run_exhaustive(int together) {
  const Exhausted exhausted = exhaust(together, nullptr);
  std::printf("%llu worlds, %d violations\n", static_cast<unsigned long long>(exhausted.worlds),
              exhausted.violation ? 1 : 0);
  if (!exhausted.violation) return 0;
  std::printf("faults%s: %s: %s\n", exhausted.points.c_str(), exhausted.violation->checker.c_str(),
              exhausted.violation->text.c_str());
  return 1;
}

}  // namespace
}  // namespace carrack::simulation

int main(int argc, char** argv) {
  using namespace carrack::simulation;
  if (argc == 3 && std::string(argv[1]) == "exhaustive") return run_exhaustive(std::atoi(argv[2]));
  if (argc != 3 && argc != 4) {
    std::fprintf(stderr, "usage: simulate FIRST COUNT [BUG] | simulate exhaustive 1|2\n");
    return 2;
  }
  const PlantedBug* bug = argc == 4 ? bug_named(argv[3]) : nullptr;
  return run_seeds(std::strtoull(argv[1], nullptr, 10), std::strtoull(argv[2], nullptr, 10), bug);
}
