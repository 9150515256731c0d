// A whole parameter-server job in simulated time, thousands of times over, with everything going wrong that can.
// CARRACK_SEEDS=FIRST:COUNT says which seeds; with COUNT 1 every frame is printed. A seed that showed a bug goes to
// simulation/seeds.txt with what it showed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include "tests/trainer/comm/simulation/world.h"

namespace carrack::train::simulation {
namespace {

constexpr std::uint64_t default_count = 8000;

struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t count = 0;
};

Seeds seeds_or(std::uint64_t count) {
  const char* set = std::getenv("CARRACK_SEEDS");
  if (set == nullptr) return {.count = count};
  const std::string text = set;
  const std::size_t colon = text.find(':');
  if (colon == text.npos) throw std::runtime_error("CARRACK_SEEDS: expects FIRST:COUNT, not '" + text + "'");
  return {std::stoull(text.substr(0, colon)), std::stoull(text.substr(colon + 1))};
}

std::optional<std::string> violation(std::uint64_t seed, World&& world, Stats& all, bool traced = false) {
  if (traced) world.network().trace_to(std::cout);
  std::optional<std::string> found;
  try {
    found = world.run();
  } catch (const std::exception& error) {
    found = std::string("throws: ") + error.what();
  }
  all += world.stats();
  if (found) *found = "seed " + std::to_string(seed) + ": " + *found;
  return found;
}

// What happened in all jobs of these seeds. Stops at the first violation.
Stats run_story(Story story, const Seeds& seeds) {
  Stats all;
  for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    if (const auto found = violation(seed, World(seed, Plant::none, story), all, seeds.count == 1)) {
      ADD_FAILURE() << *found;
      break;
    }
  }
  std::cout << "seeds " << seeds.first << " to " << seeds.first + seeds.count - 1 << ": " << all << "\n";
  return all;
}

// The seeds are worth something only if much went wrong in them, which few of them do not show.
bool show_much(const Seeds& seeds) {
  return seeds.count >= 1000;
}

TEST(Simulation, EveryCommitIsExactAndEveryJobEnds) {
  const Seeds seeds = seeds_or(default_count);
  const Stats all = run_story(Story::none, seeds);
  if (!show_much(seeds)) return;
  EXPECT_GT(all.commits, seeds.count);
  EXPECT_GT(all.commits_lost, seeds.count / 100);
  EXPECT_GT(all.loads, seeds.count * 2);
  EXPECT_GT(all.kills, seeds.count);
  EXPECT_GT(all.pauses, seeds.count);
  EXPECT_GT(all.superseded, seeds.count / 10);
  EXPECT_GT(all.drained, seeds.count / 20);
  EXPECT_GT(all.norms, seeds.count / 4);
  EXPECT_GT(all.stale, seeds.count / 4);
  EXPECT_GT(all.pushes_cut, seeds.count / 40);
}

TEST(Simulation, HoldsWhereAJobGoesOnFromAnothersCommit) {
  const Seeds seeds = seeds_or(2000);
  const Stats all = run_story(Story::resumes_another, seeds);
  if (!show_much(seeds)) return;
  EXPECT_GT(all.loads, seeds.count);
}

TEST(Simulation, HoldsOrFailsWhereTheDataChangesUnderAJob) {
  const Seeds seeds = seeds_or(2000);
  const Stats all = run_story(Story::data_changes, seeds);
  if (!show_much(seeds)) return;
  std::cout << all.failed << " jobs failed\n";
  EXPECT_GT(all.failed, seeds.count / 4);
  EXPECT_LT(all.failed, seeds.count);
}

TEST(Simulation, HoldsWhereNobodyKnowsTheRecordsBeforeTheyAreRead) {
  const Seeds seeds = seeds_or(2000);
  const Stats all = run_story(Story::first_pass, seeds);
  if (!show_much(seeds)) return;
  std::cout << all.ends_found << " ends found, " << all.totals_told << " totals told\n";
  EXPECT_GT(all.commits, seeds.count);
  EXPECT_GT(all.kills, seeds.count / 2);
  EXPECT_GT(all.ends_found, seeds.count);
  EXPECT_GT(all.totals_told, seeds.count);
}

TEST(Simulation, HoldsWhereWorkersHangAndMembersCannotReachEachOther) {
  const Seeds seeds = seeds_or(2000);
  const Stats all = run_story(Story::hangs, seeds);
  if (!show_much(seeds)) return;
  std::cout << all.hung_workers << " workers and " << all.hung_servers << " servers replaced\n";
  EXPECT_GT(all.hung_workers, seeds.count / 4);
  EXPECT_GT(all.hung_servers, seeds.count / 10);
}

TEST(Simulation, HoldsWhereWorkersGetWellAgainAndCoordinatorsStandStill) {
  const Seeds seeds = seeds_or(1000);
  const Stats all = run_story(Story::recovers, seeds);
  EXPECT_EQ(all.hung_servers, 0U);
  if (!show_much(seeds)) return;
  std::cout << all.hung_workers << " workers named, " << all.standstills << " standstills\n";
  EXPECT_GT(all.hung_workers, seeds.count / 5);
  EXPECT_GT(all.standstills, seeds.count / 4);
}

TEST(Simulation, TakesNoSlowWorkerForHung) {
  const Stats all = run_story(Story::slow_worker, seeds_or(300));
  EXPECT_EQ(all.hung_workers + all.hung_servers, 0U);
}

TEST(Simulation, HoldsInTheSeedsThatOnceShowedABug) {
  std::ifstream file(SEEDS_FILE);
  ASSERT_TRUE(file) << SEEDS_FILE;
  Stats all;
  std::uint64_t run = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::uint64_t seed = std::stoull(line);
    EXPECT_EQ(violation(seed, World(seed, Plant::none), all), std::nullopt) << line;
    ++run;
  }
  EXPECT_GT(run, 0u);
}

struct Planted {
  Plant plant;
  const char* name;
  const char* seen_as;  // Part of what the checker says.
  Story story = Story::none;
};

class PlantedBug : public testing::TestWithParam<Planted> {};

TEST_P(PlantedBug, IsFoundWithinTheDefaultSeeds) {
  const Planted& planted = GetParam();
  Stats all;
  for (std::uint64_t seed = 1; seed <= default_count; ++seed) {
    const auto found = violation(seed, World(seed, planted.plant, planted.story), all);
    // Some bugs are seen as one thing in one seed, and as another in the next.
    if (!found || found->find(planted.seen_as) == found->npos) continue;
    std::cout << planted.name << ": " << *found << "\n";
    return;
  }
  FAIL() << planted.name << " was not seen as '" << planted.seen_as << "' in " << default_count << " seeds";
}

INSTANTIATE_TEST_SUITE_P(
    Simulation, PlantedBug,
    testing::Values(
        Planted{Plant::head_written_without_condition, "head_written_without_condition", "and HEAD was of"},
        Planted{Plant::lost_commit_told_as_done, "lost_commit_told_as_done", "and HEAD was of"},
        Planted{Plant::saved_told_before_it_is, "saved_told_before_it_is", "is not whole"},
        Planted{Plant::prefix_without_incarnation, "prefix_without_incarnation", "is written twice"},
        Planted{Plant::applied_not_saved, "applied_not_saved", "than what it says it has applied"},
        Planted{Plant::skipped_not_loaded, "skipped_not_loaded", "has counted other records as left out"},
        Planted{Plant::assignments_not_numbered, "assignments_not_numbered", "the job is stuck"},
        Planted{Plant::pieces_added_twice, "pieces_added_twice", "holds other values"},
        Planted{Plant::piece_of_an_earlier_assignment, "piece_of_an_earlier_assignment", "holds other values"},
        Planted{Plant::counted_with_the_first_piece, "counted_with_the_first_piece", "holds other values"},
        Planted{Plant::limit_passed, "limit_passed", "the job is stuck"},
        Planted{Plant::old_parameters_computed_on, "old_parameters_computed_on", "holds other values"},
        Planted{Plant::commit_forgotten, "commit_forgotten", "was committed after"},
        Planted{Plant::number_of_the_newest, "number_of_the_newest", "the job is stuck"},
        Planted{Plant::norm_taken_in_part, "norm_taken_in_part", "holds other values"},
        Planted{Plant::norms_not_sent_again, "norms_not_sent_again", "the job is stuck"},
        Planted{Plant::load_left_out, "load_left_out", "the job is stuck"},
        Planted{Plant::streams_never_opened_again, "streams_never_opened_again", "is taken for hung, and is not"},
        Planted{Plant::closed_not_told_to_servers, "closed_not_told_to_servers", "keeps more that wait"},
        Planted{Plant::head_never_looked_at, "head_never_looked_at", "the job is stuck"},
        Planted{Plant::numbers_start_anew, "numbers_start_anew", "is told that it is superseded"},
        Planted{Plant::commit_taken_for_the_last, "commit_taken_for_the_last", "HEAD does not hold all"},
        Planted{Plant::asked_for_again, "asked_for_again", "frames are under way"},
        Planted{Plant::wants_not_told_apart, "wants_not_told_apart", "again, though nothing has changed"},
        Planted{Plant::drained_before_the_commit, "drained_before_the_commit", "is drained at"},
        Planted{Plant::one_step_more_said, "one_step_more_said", "is not drained"},
        Planted{Plant::other_cuts_not_named, "other_cuts_not_named", "the job is stuck"},
        Planted{Plant::saved_as_it_was_counted, "saved_as_it_was_counted", "holds"},
        Planted{Plant::data_not_told_by_workers, "data_not_told_by_workers", "holds", Story::data_changes},
        Planted{Plant::data_not_told_by_servers, "data_not_told_by_servers", "holds", Story::data_changes},
        Planted{Plant::data_of_the_commit_not_read, "data_of_the_commit_not_read", "holds", Story::data_changes},
        Planted{Plant::index_kept_after_the_push, "index_kept_after_the_push", "an index in indexes/ was removed",
                Story::first_pass},
        Planted{Plant::listed_before_the_parameters, "listed_before_the_parameters", "an index in indexes/ was removed",
                Story::first_pass},
        Planted{Plant::end_of_a_part_of_the_files, "end_of_a_part_of_the_files", "the job is stuck", Story::first_pass},
        Planted{Plant::order_chosen_anew, "order_chosen_anew", "fails, and the data is what it was", Story::first_pass},
        Planted{Plant::granted_further_ahead, "granted_further_ahead", "updates old"},
        Planted{Plant::work_not_told, "work_not_told", "the job is stuck", Story::hangs},
        Planted{Plant::work_not_told_in_hello, "work_not_told_in_hello", "is taken for hung, and is not",
                Story::recovers},
        Planted{Plant::slow_taken_for_hung, "slow_taken_for_hung", "is taken for hung, and is not", Story::slow_worker},
        Planted{Plant::hung_not_replaced, "hung_not_replaced", "the job is stuck", Story::hangs},
        Planted{Plant::hung_replaced_twice, "hung_replaced_twice", "is taken for hung, and is not", Story::hangs},
        Planted{Plant::late_ticks_made_up_for, "late_ticks_made_up_for", "is taken for silent, and is not"},
        Planted{Plant::end_never_looked_for, "end_never_looked_for", "the job is stuck", Story::first_pass}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace carrack::train::simulation
