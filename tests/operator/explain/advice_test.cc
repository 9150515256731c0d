// Each reason of a condition has one piece of advice, and docs/reference/explain.md has the same table.
#include "operator/explain/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/operator/core/own_job.h"

namespace carrack::control {
namespace {

std::string text_of(const char* path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<std::string> all_matches(const std::string& text, const char* pattern) {
  const std::regex expression(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at) found.push_back((*at)[1]);
  return found;
}

// Rows as the reference has them: | `REASON` | VERDICT | CURE |, with the cure of a run behind the one of a cluster.
std::string row_of(const Advice& advice) {
  const std::string of_run(advice.cure_of_run);
  return "| `" + std::string(advice.reason) + "` | " + std::string(advice.verdict) + " | " + std::string(advice.cure) +
         (of_run.empty() ? "" : " *Under `carrack run`:* " + of_run) + " |";
}

TEST(Advice, IsThereOnceForEachReason) {
  std::vector<std::string> reasons;
  for (const Advice& advice : all_advice()) reasons.emplace_back(advice.reason);
  EXPECT_THAT(reasons, testing::UnorderedElementsAreArray(
                           all_matches(text_of(CARRACK_REASONS), R"re(constexpr const char\* \w+ = "(\w+)";)re")));
}

TEST(Advice, SaysSomethingForEachReason) {
  for (const Advice& advice : all_advice()) {
    EXPECT_FALSE(advice.verdict.empty()) << advice.reason;
    EXPECT_TRUE(advice.cure.ends_with('.') || advice.cure.ends_with(". AGAIN")) << advice.reason;
    EXPECT_TRUE(advice.cure_of_run.empty() || advice.cure_of_run.ends_with('.')) << advice.reason;
  }
  EXPECT_EQ(advice_about(JobSpec(), "Unschedulable")->verdict, "waits: no node can take MEMBERS");
  EXPECT_EQ(advice_about(JobSpec(), "OfAnotherRelease"), nullptr);
}

TEST(Advice, OfOwnProgramsStandsInForThatOfTheTrainer) {
  for (const Advice& advice : advice_of_own()) {
    EXPECT_EQ(std::ranges::count(all_advice(), advice.reason, &Advice::reason), 1) << advice.reason;
    EXPECT_EQ(advice_about(own_job({}), advice.reason), &advice);
    EXPECT_NE(advice_about(JobSpec(), advice.reason), &advice);
  }
  EXPECT_EQ(advice_about(own_job({}), "Unschedulable"), advice_about(JobSpec(), "Unschedulable"));
}

// The rows of the table in the reference that begins so.
std::vector<std::string> rows_in_the_reference(const std::string& header) {
  const std::string reference = text_of(CARRACK_EXPLAIN_REFERENCE);
  const std::size_t begin = reference.find(header);
  const std::string table = reference.substr(begin, reference.find("\n\n", begin) - begin);
  return all_matches(table, R"(\n(\| [`\w][^\n]*))");
}

TEST(Advice, StandsInTheReference) {
  std::vector<std::string> rows, of_own;
  for (const Advice& advice : all_advice()) rows.push_back(row_of(advice));
  for (const Advice& advice : advice_of_own()) of_own.push_back(row_of(advice));
  EXPECT_THAT(rows_in_the_reference("| reason | JOB ..."), testing::ElementsAreArray(rows));
  EXPECT_THAT(rows_in_the_reference("| reason of an own image | JOB ..."), testing::ElementsAreArray(of_own));
}

TEST(Advice, SaysInTheReferenceHowToTryAgain) {
  const auto row = [](const char* jobs, const JobSpec& spec, Place place) {
    return std::string("| ") + jobs + " | " + std::string(retry_advice(spec, place)) + " |";
  };
  EXPECT_THAT(rows_in_the_reference("| job | AGAIN |"),
              testing::ElementsAre(row("of the trainer", JobSpec(), Place::kubernetes),
                                   row("of the trainer, under `carrack run`", JobSpec(), Place::this_machine),
                                   row("of [your own image](own_images.md)", own_job({}), Place::kubernetes),
                                   row("of your own image, under `carrack run`", own_job({}), Place::this_machine)));
}

std::string_view cure(const LastFailure& failure) {
  return cure_of_end(JobSpec(), failure);
}

TEST(Advice, KnowsEndsThatNoReasonTellsApart) {
  EXPECT_TRUE(cure({.member = "ps-0", .pod = "line-ps-0", .exit_code = 137, .signal = 9, .reason = "OOMKilled"})
                  .starts_with("A process used more memory"));
  EXPECT_TRUE(cure({.member = "ps-0", .pod = "line-ps-0", .exit_code = 83})
                  .starts_with("A process ended by a fault of Carrack"));
  EXPECT_TRUE(
      cure({.member = "ps-0", .pod = "line-ps-0", .exit_code = 137, .signal = 9}).starts_with("A process was killed"));
  EXPECT_EQ(cure({.member = "ps-0", .pod = "line-ps-0", .exit_code = 137, .signal = 9, .reason = "NodeLost"}), "");
  EXPECT_EQ(cure({.member = "ps-0", .pod = "line-ps-0", .exit_code = 82}), "");
  EXPECT_TRUE(cure({.member = "worker-1", .pod = "fit-worker-1", .exit_code = 127, .reason = "StartError"})
                  .starts_with("The program of spec."));
  EXPECT_TRUE(cure({.member = "ps-0", .pod = "line-ps-0", .reason = "Hung"}).starts_with("A process ran and"));
}

TEST(Advice, AboutTheEndOfAnOwnProgramNamesNothingThatItCannotHave) {
  const auto cure_of_own = [](const LastFailure& failure) { return cure_of_end(own_job({}), failure); };
  EXPECT_EQ(cure_of_own({.member = "ps-0", .pod = "line-ps-0", .exit_code = 83}), "");
  EXPECT_EQ(cure_of_own({.member = "ps-0", .pod = "line-ps-0", .exit_code = 137, .signal = 9, .reason = "OOMKilled"}),
            "A process used more memory than it may: ask for more memory in spec.replicas.ROLE.resources.");
  EXPECT_EQ(cure_of_own({.member = "ps-0", .pod = "line-ps-0", .exit_code = 137, .signal = 9}),
            "A process was killed, often because the machine had no memory left. If its template has a liveness probe, "
            "an event of its pod may say `Liveness probe failed`.");
}

}  // namespace
}  // namespace carrack::control
