#include "tests/support/gcs/preconditions.h"

#include <gtest/gtest.h>

#include <vector>

namespace carrack::tests {
namespace {

constexpr LiveObject live{100, 3};

struct Row {
  const char* parameter;
  const char* value;
  Verdict with_live_object;
  Verdict without;
};

TEST(Preconditions, HoldAsDocumented) {
  const std::vector<Row> rows{
      {"ifGenerationMatch", "100", Verdict::met, Verdict::failed},
      {"ifGenerationMatch", "99", Verdict::failed, Verdict::failed},
      {"ifGenerationMatch", "0", Verdict::failed, Verdict::met},
      {"ifGenerationNotMatch", "100", Verdict::not_modified, Verdict::not_modified},
      {"ifGenerationNotMatch", "99", Verdict::met, Verdict::not_modified},
      {"ifGenerationNotMatch", "0", Verdict::met, Verdict::not_modified},
      {"ifMetagenerationMatch", "3", Verdict::met, Verdict::failed},
      {"ifMetagenerationMatch", "2", Verdict::failed, Verdict::failed},
      {"ifMetagenerationNotMatch", "3", Verdict::not_modified, Verdict::not_modified},
      {"ifMetagenerationNotMatch", "2", Verdict::met, Verdict::not_modified},
  };
  for (const Row& row : rows) {
    const auto preconditions = json_preconditions({{row.parameter, row.value}});
    ASSERT_TRUE(preconditions);
    EXPECT_TRUE(preconditions->any());
    EXPECT_EQ(verdict(*preconditions, live), row.with_live_object) << row.parameter << "=" << row.value;
    EXPECT_EQ(verdict(*preconditions, std::nullopt), row.without) << row.parameter << "=" << row.value << ", no object";
  }
}

TEST(Preconditions, NoneIsAlwaysMet) {
  EXPECT_FALSE(json_preconditions({{"name", "x"}})->any());
  EXPECT_EQ(verdict({}, live), Verdict::met);
  EXPECT_EQ(verdict({}, std::nullopt), Verdict::met);
}

TEST(Preconditions, AllOfThemMustHold) {
  const auto both = json_preconditions({{"ifGenerationMatch", "100"}, {"ifMetagenerationMatch", "2"}});
  EXPECT_EQ(verdict(*both, live), Verdict::failed);
}

TEST(Preconditions, OfTheSourceAreReadApart) {
  const Fields query{{"ifSourceGenerationMatch", "5"}, {"ifGenerationMatch", "0"}};
  EXPECT_EQ(json_preconditions(query)->generation_match, 0);
  EXPECT_EQ(json_preconditions(query, "ifSource")->generation_match, 5);
}

TEST(Preconditions, OfTheXmlApiAreHeaders) {
  const Fields headers{{"X-Goog-If-Generation-Match", "100"}, {"x-goog-if-metageneration-match", "3"}};
  const auto preconditions = xml_preconditions(headers);
  EXPECT_EQ(preconditions->generation_match, 100);
  EXPECT_EQ(preconditions->metageneration_match, 3);
}

TEST(Preconditions, AreNumbers) {
  for (const char* value : {"", "x", "1x", "1 ", "99999999999999999999"})
    EXPECT_FALSE(json_preconditions({{"ifGenerationMatch", value}})) << value;
  EXPECT_FALSE(xml_preconditions({{"x-goog-if-generation-match", "x"}}));
}

}  // namespace
}  // namespace carrack::tests
