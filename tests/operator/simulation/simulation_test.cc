#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "tests/operator/simulation/simulate.h"

namespace carrack::simulation {

std::ostream& operator<<(std::ostream& out, const Violation& violation) {
  return out << violation.checker << ": " << violation.text;
}

namespace {

constexpr std::uint64_t default_seeds = 20'000;
constexpr std::uint64_t seeds_of_two_jobs = 1'000;
constexpr std::uint64_t seeds_of_releases = 300;
constexpr std::uint64_t seeds_for_bugs = 2'000;  // every planted bug is found within these

TEST(Simulation, HoldsForEverySeedThatEverFailed) {
  std::ifstream file(CARRACK_SEEDS_FILE);
  ASSERT_TRUE(file.is_open()) << CARRACK_SEEDS_FILE;
  std::string line;
  int seeds = 0;
  for (; std::getline(file, line); ++seeds) {
    if (line.empty() || line.front() == '#') continue;
    const Outcome outcome = outcome_of(std::stoull(line), nullptr);
    EXPECT_FALSE(outcome.violation) << "seed " << line << ": " << *outcome.violation;
  }
  EXPECT_GT(seeds, 0);
}

TEST(Simulation, HoldsForTheDefaultSeedsWhichEndInEveryWayThereIs) {
  std::set<std::string> ends;
  for (std::uint64_t seed = 1; seed <= default_seeds; ++seed) {
    const Outcome outcome = outcome_of(seed, nullptr);
    ASSERT_FALSE(outcome.violation) << "seed " << seed << ": " << *outcome.violation;
    ends.insert(outcome.end);
  }
  const std::set<std::string> all = {"BackoffLimitExceeded",
                                     "CheckpointTaken",
                                     "DeadlineExceeded",
                                     "Deleted",
                                     "Denied",
                                     "FailureRule",
                                     "InvalidSpec",
                                     "ProgressDeadlineExceeded",
                                     "QuotaExceeded",
                                     "StartDeadlineExceeded",
                                     "TrainingSucceeded",
                                     "Unschedulable",
                                     "UserError"};
  EXPECT_EQ(ends, all);
}

TEST(Simulation, HoldsWhileOperatorsOfThreeReleasesFollowEachOther) {
  for (std::uint64_t seed = 1; seed <= seeds_of_releases; ++seed) {
    const Outcome outcome = outcome_of_releases(seed, nullptr);
    ASSERT_FALSE(outcome.violation) << "seed " << seed << ": " << *outcome.violation;
  }
}

TEST(Simulation, TwoJobsWithRoomForOneAndAHalfBothEnd) {
  std::uint64_t waited = 0, succeeded = 0;
  for (std::uint64_t seed = 1; seed <= seeds_of_two_jobs; ++seed) {
    const SharedOutcome outcome = outcome_of_two_jobs(seed, nullptr);
    ASSERT_FALSE(outcome.violation) << "seed " << seed << ": " << *outcome.violation;
    waited += outcome.has_waited ? 1 : 0;
    succeeded += outcome.ends == std::vector<std::string>(2, "TrainingSucceeded") ? 1 : 0;
  }
  EXPECT_GT(waited, seeds_of_two_jobs / 10) << "worlds in which a job said that no node has room for it";
  EXPECT_GT(succeeded, seeds_of_two_jobs / 2);
}

TEST(Simulation, HoldsWithEverySingleFaultAtEveryPointOfASmallJob) {
  const Exhausted exhausted = exhaust(1, nullptr);
  EXPECT_FALSE(exhausted.violation) << "faults" << exhausted.points << ": " << *exhausted.violation;
  EXPECT_GT(exhausted.worlds, 500U);
}

std::optional<Violation> violation_in(std::uint64_t seed, const PlantedBug& bug) {
  switch (bug.worlds) {
    case PlantedBug::Worlds::of_one_job:
      return outcome_of(seed, &bug).violation;
    case PlantedBug::Worlds::of_two_jobs:
      return outcome_of_two_jobs(seed, &bug).violation;
    case PlantedBug::Worlds::of_releases:
      return outcome_of_releases(seed, &bug).violation;
  }
  throw std::logic_error("a bug without a world");
}

class Planted : public testing::TestWithParam<PlantedBug> {};

TEST_P(Planted, IsFoundByItsChecker) {
  for (std::uint64_t seed = 1; seed <= seeds_for_bugs; ++seed) {
    const auto violation = violation_in(seed, GetParam());
    if (violation && violation->checker == GetParam().found_by) return;
  }
  FAIL() << "no seed up to " << seeds_for_bugs << " finds: " << GetParam().name;
}

INSTANTIATE_TEST_SUITE_P(Bugs, Planted, testing::ValuesIn(planted_bugs()), [](const auto& of) {
  std::string name;
  for (const char c : of.param.name) name += c == ' ' ? '_' : c;
  return name;
});

}  // namespace
}  // namespace carrack::simulation
