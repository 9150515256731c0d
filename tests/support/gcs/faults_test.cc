#include "tests/support/gcs/faults.h"

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "tests/support/gcs/faults_json.h"
#include "tests/support/gcs/pace.h"

namespace carrack::tests {
namespace {

using nlohmann::json;

Rule rule(When when, Fault fault, const std::string& method = "", const std::string& target = "") {
  return {method, target, std::move(when), fault};
}

TEST(Faults, TheThirdMatchingRequestIsHitAndNoOther) {
  FaultScript script({0, {rule(Nth{{3}}, Answer{503}, "PUT", "data/")}});
  EXPECT_EQ(script.next("PUT", "/data/a"), Play());
  EXPECT_EQ(script.next("GET", "/data/a"), Play()) << "another method does not count";
  EXPECT_EQ(script.next("PUT", "/index/a"), Play()) << "another path does not count";
  EXPECT_EQ(script.next("PUT", "/data/b"), Play());
  EXPECT_EQ(script.next("PUT", "/data/b").ending, Ending(Answer{503}));
  EXPECT_EQ(script.next("PUT", "/data/b"), Play());
}

TEST(Faults, AShareIsAFunctionOfSeedAndNumberAlone) {
  const auto hits = [](std::uint64_t seed, std::size_t index) {
    std::set<std::uint64_t> numbers;
    for (std::uint64_t n = 1; n <= 10'000; ++n) {
      if (plays(Share{0.03}, seed, index, n)) numbers.insert(n);
    }
    return numbers;
  };
  EXPECT_EQ(hits(7, 0), hits(7, 0));
  EXPECT_NE(hits(7, 0), hits(8, 0));
  EXPECT_NE(hits(7, 0), hits(7, 1)) << "two rules of one seed must not always strike together";
  for (const std::uint64_t seed : {1, 2, 3}) {
    EXPECT_GT(hits(seed, 0).size(), 230U);
    EXPECT_LT(hits(seed, 0).size(), 370U);
  }
  EXPECT_FALSE(plays(Share{0}, 1, 0, 1));
  EXPECT_TRUE(plays(Share{1}, 1, 0, 1));
}

TEST(Faults, OneOfEachKindPlaysAndTheFirstRuleWins) {
  FaultScript script(
      {0,
       {rule(Always{}, Slow{std::chrono::milliseconds(1), {}}), rule(Always{}, Cut{9}), rule(Always{}, LoseReply{}),
        rule(Always{}, Slow{std::chrono::milliseconds(2), {}}), rule(Always{}, PersistAtMost{5})}});
  EXPECT_EQ(script.next("GET", "/"), (Play{Slow{std::chrono::milliseconds(1), {}}, PersistAtMost{5}, Cut{9}}));
}

TEST(Faults, EveryFaultComesBackFromJson) {
  const Faults faults{
      9,
      {rule(Always{}, Slow{std::chrono::milliseconds(30), 100'000'000}), rule(Share{0.5}, Slow{}, "GET", "x"),
       rule(Nth{{1, 4}}, PersistAtMost{262'144}), rule(Always{}, Answer{429, false}), rule(Always{}, Answer{503, true}),
       rule(Always{}, Stall{10, std::chrono::milliseconds(20)}), rule(Always{}, Cut{3}), rule(Always{}, LoseRequest{}),
       rule(Always{}, LoseReply{}), rule(Always{}, ExpireUpload{404})},
      "the-token"};
  EXPECT_EQ(faults_from(to_json(faults)), faults);
  EXPECT_EQ(faults_from(json::object()), Faults());
}

TEST(Faults, AMistakeInTheJsonIsNamed) {
  const auto complaint = [](const char* text) -> std::string {
    try {
      faults_from(json::parse(text));
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(complaint(R"({"rule": []})"), "faults.rule: no such field");
  EXPECT_EQ(complaint(R"({"rules": [{"method": "GET"}]})"), "rules[0]: names 0 faults instead of one");
  EXPECT_EQ(complaint(R"({"rules": [{"cut": {"after_bytes": 1}, "lose_reply": {}}]})"),
            "rules[0]: names 2 faults instead of one");
  EXPECT_EQ(complaint(R"({"rules": [{"cut": {"after": 1}}]})"), "rules[0].cut.after: no such field");
  EXPECT_EQ(complaint(R"({"rules": [{"answer": {}}]})"), "rules[0].answer.status: is missing");
  EXPECT_EQ(complaint(R"({"rules": [{"lose_reply": {}, "nth": [1], "share": 1}]})"),
            "rules[0]: has both nth and share");
  EXPECT_EQ(complaint(R"({"rules": [{"slow": {"bytes_per_second": 0}}]})"),
            "rules[0].slow.bytes_per_second: is 0; leave it out for no limit");
  EXPECT_NE(complaint(R"({"rules": [{"cut": {"after_bytes": "x"}}]})").find("rules[0].cut.after_bytes: "),
            std::string::npos);
}

TEST(Pace, ReckonsFromTheStart) {
  const auto start = std::chrono::steady_clock::now();
  const Pace pace(1000, start);
  EXPECT_EQ(pace.due(0), start);
  EXPECT_EQ(pace.due(2500), start + std::chrono::milliseconds(2500));
  EXPECT_EQ(pace.piece(), 5U);
  const Pace unlimited(std::nullopt, start);
  EXPECT_EQ(unlimited.due(1'000'000'000), start);
  EXPECT_EQ(unlimited.piece(), 256U * 1024);
}

}  // namespace
}  // namespace carrack::tests
