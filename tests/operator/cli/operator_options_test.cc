#include "operator/cli/operator_options.h"

#include <gtest/gtest.h>

namespace carrack::control {
namespace {

std::variant<OperatorOptions, std::string> options(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  return parse_operator_options(arguments);
}

std::string refusal(const std::vector<std::string>& words) {
  const auto refused = options(words);
  return std::holds_alternative<std::string>(refused) ? std::get<std::string>(refused) : "accepted";
}

TEST(OperatorOptions, AreParsed) {
  const auto given = options({"--trainer-image", "trainer:1", "--namespace", "team-a", "--namespace", "b",
                              "--trainer-env", "A_1=x=y", "--trainer-env", "EMPTY=", "--network-policies", "carrack",
                              "--listen", "[::1]:80", "--probes", "127.0.0.1:81"});
  const auto& parsed = std::get<OperatorOptions>(given);
  EXPECT_EQ(parsed.pods.image, "trainer:1");
  EXPECT_EQ(parsed.namespaces, (std::vector<std::string>{"team-a", "b"}));
  EXPECT_EQ(parsed.pods.environment, (std::vector<std::pair<std::string, std::string>>{{"A_1", "x=y"}, {"EMPTY", ""}}));
  EXPECT_EQ(parsed.pods.operator_namespace, "carrack");
  EXPECT_EQ(parsed.listen, "[::1]:80");
  EXPECT_EQ(parsed.probes, "127.0.0.1:81");
}

TEST(OperatorOptions, HaveDefaults) {
  const auto given = options({"--trainer-image", "trainer:1"});
  EXPECT_TRUE(std::get<OperatorOptions>(given).namespaces.empty());
  EXPECT_EQ(std::get<OperatorOptions>(given).listen, "0.0.0.0:8080");
  EXPECT_EQ(std::get<OperatorOptions>(given).probes, "0.0.0.0:8081");
}

TEST(OperatorOptions, AreRefusedWithTheReason) {
  EXPECT_EQ(refusal({}), "--trainer-image is missing: the image of every pod of a job");
  EXPECT_EQ(refusal({"--trainer-image"}), "--trainer-image: a value is missing");
  EXPECT_EQ(refusal({"--network-policies", "a/b"}), "--network-policies: 'a/b' is not a name of a namespace");
  EXPECT_EQ(refusal({"--trainer-image", ""}), "--trainer-image: a value is missing");
  EXPECT_EQ(refusal({"--image", "x"}), "does not know '--image'; `carrack-operator --help` lists what it does");
  for (const char* name : {"Team", "-a", "a-", "a/b", "a b"}) {
    EXPECT_EQ(refusal({"--namespace", name}), "--namespace: '" + std::string(name) + "' is not a name of a namespace");
  }
  EXPECT_EQ(refusal({"--namespace", "a", "--namespace", "a"}), "--namespace: 'a' is given twice");
  EXPECT_NE(refusal({"--namespace", std::string(64, 'a')}), "accepted");
  for (const char* variable : {"A", "=x", "1A=x", "A B=x"}) {
    EXPECT_EQ(refusal({"--trainer-env", variable}), "--trainer-env: '" + std::string(variable) + "' is not NAME=VALUE");
  }
}

}  // namespace
}  // namespace carrack::control
