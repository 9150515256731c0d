// Each reason of a condition has one piece of advice, and docs/reference/explain.md has the same table.
#include "operator/explain/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

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
    EXPECT_TRUE(advice.cure.ends_with('.')) << advice.reason;
    EXPECT_TRUE(advice.cure_of_run.empty() || advice.cure_of_run.ends_with('.')) << advice.reason;
  }
  EXPECT_EQ(advice_about("Unschedulable")->verdict, "waits: no node can take MEMBERS");
  EXPECT_EQ(advice_about("OfAnotherRelease"), nullptr);
}

TEST(Advice, StandsInTheReference) {
  std::vector<std::string> rows;
  for (const Advice& advice : all_advice()) rows.push_back(row_of(advice));
  const std::string reference = text_of(CARRACK_EXPLAIN_REFERENCE);
  const std::size_t begin = reference.find("| reason | JOB ...");
  const std::string table = reference.substr(begin, reference.find("\n\n", begin) - begin);
  EXPECT_THAT(all_matches(table, R"(\n(\| `\w+` \| [^\n]*))"), testing::ElementsAreArray(rows));
}

TEST(Advice, KnowsEndsThatNoReasonTellsApart) {
  EXPECT_TRUE(cure_of_end({.member = "ps-0", .pod = "line-ps-0", .exit_code = 137, .signal = 9, .reason = "OOMKilled"})
                  .starts_with("A process used more memory"));
  EXPECT_TRUE(cure_of_end({.member = "ps-0", .pod = "line-ps-0", .exit_code = 83})
                  .starts_with("A process ended by a fault of Carrack"));
  EXPECT_TRUE(cure_of_end({.member = "ps-0", .pod = "line-ps-0", .exit_code = 137, .signal = 9})
                  .starts_with("A process was killed"));
  EXPECT_EQ(cure_of_end({.member = "ps-0", .pod = "line-ps-0", .exit_code = 137, .signal = 9, .reason = "NodeLost"}),
            "");
  EXPECT_EQ(cure_of_end({.member = "ps-0", .pod = "line-ps-0", .exit_code = 82}), "");
  EXPECT_TRUE(cure_of_end({.member = "worker-1", .pod = "fit-worker-1", .exit_code = 127, .reason = "StartError"})
                  .starts_with("The program of spec."));
  EXPECT_TRUE(cure_of_end({.member = "ps-0", .pod = "line-ps-0", .reason = "Hung"}).starts_with("A process ran and"));
}

}  // namespace
}  // namespace carrack::control
