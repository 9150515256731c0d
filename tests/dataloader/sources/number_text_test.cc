// Numbers in text, as TensorFlow's CsvDataset reads them.
#include "dataloader/sources/number_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

namespace carrack::data {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

TEST(NumberText, ReadsWholeNumbersUpTo64Bits) {
  EXPECT_EQ(int_in("0"), 0);
  EXPECT_EQ(int_in("-0"), 0);
  EXPECT_EQ(int_in("+7"), 7);
  EXPECT_EQ(int_in("007"), 7);
  EXPECT_EQ(int_in(" \t42 "), 42);
  EXPECT_EQ(int_in("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(int_in("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
}

TEST(NumberText, RefusesOtherWholeNumbers) {
  for (const char* text : {"", " ", "-", "+", "+-1", "-+1", "--1", "1.0", "1e3", "0x7", "1_0", "1 2", "1\r", "nan",
                           "9223372036854775808", "-9223372036854775809", "99999999999999999999"})
    EXPECT_EQ(int_in(text), std::nullopt) << text;
}

TEST(NumberText, RoundsToTheNearestFloat) {
  for (const auto& [text, value] : {std::pair{"1.5", 1.5f},
                                    {" 1.5\t", 1.5f},
                                    {"+1", 1.f},
                                    {".5", .5f},
                                    {"1.", 1.f},
                                    {"-1e-3", -1e-3f},
                                    {"1E+2", 100.f},
                                    {"16777217", 16777216.f},
                                    {"0.1", .1f},
                                    {"3.40282356e38", 3.4028235e38f},
                                    {"1e-45", 1e-45f},
                                    {"1.17549428e-38", 1.17549428e-38f}})
    EXPECT_EQ(float_in(text), value) << text;
  EXPECT_TRUE(std::signbit(float_in("-0").value()));
}

TEST(NumberText, SaturatesFloats) {
  const std::string zeros(400, '0');
  for (const std::string& text : {std::string("1e39"), std::string("1e400"), "1" + zeros, "1" + zeros + ".5e-300",
                                  "0." + zeros + "1e900", std::string("1e99999999999999999999")}) {
    EXPECT_EQ(float_in(text), infinity) << text;
    EXPECT_EQ(float_in("-" + text), -infinity) << text;
  }
  for (const std::string& text :
       {std::string("1e-50"), std::string("1e-400"), "0." + zeros + "1", "1" + zeros + "e-900",
        std::string("1e-99999999999999999999"), std::string("0e99999999999999999999")}) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(float_in(text).value()), 0u) << text;
    EXPECT_EQ(std::bit_cast<std::uint32_t>(float_in("-" + text).value()), 0x80000000u) << text;
  }
}

TEST(NumberText, ReadsNonFiniteNumbersInAnyCase) {
  for (const char* text : {"nan", "NaN", "NAN", "-nan", "+nan"})
    EXPECT_TRUE(std::isnan(float_in(text).value())) << text;
  for (const char* text : {"inf", "+inf", "Inf", "INF", "infinity", "Infinity"})
    EXPECT_EQ(float_in(text), infinity) << text;
  for (const char* text : {"-inf", "-Infinity"}) EXPECT_EQ(float_in(text), -infinity) << text;
}

TEST(NumberText, RefusesOtherFloats) {
  for (const char* text : {"", " ", "-", ".", "+-1", "1e", "1f", "1d5", "0x10", "1_0", "1,5", "1.5.", "NA", "null",
                           "None", "infin", "na", "1 2", "e5"})
    EXPECT_EQ(float_in(text), std::nullopt) << text;
}

}  // namespace
}  // namespace carrack::data
