#include "dataloader/cli/summary/number_format.h"

#include <gtest/gtest.h>

#include <limits>

namespace carrack::data::cli {
namespace {

TEST(Text, FormatsNumbers) {
  EXPECT_EQ(short_number(1.0 / 3), "0.3333");
  EXPECT_EQ(with_one_decimal(2.0 / 3), "0.7");
  EXPECT_EQ(format_rate(820'000'000, 2), "410.0 MB/s");
  EXPECT_EQ(whole_number(-1'234'567), "-1,234,567");
  EXPECT_EQ(whole_number(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(Text, WritesFloatsThatReadAsTheSameNumberAndNeverAsAnInteger) {
  EXPECT_EQ(json_number(0.1F), "0.1");
  EXPECT_EQ(json_number(2), "2.0");
  EXPECT_EQ(json_number(-0.0F), "-0.0");
  EXPECT_EQ(json_number(1e30F), "1e+30");
  EXPECT_EQ(json_number(std::numeric_limits<float>::denorm_min()), "1e-45");
  EXPECT_EQ(json_number(std::numeric_limits<float>::quiet_NaN()), "\"NaN\"");
  EXPECT_EQ(json_number(-std::numeric_limits<float>::infinity()), "\"-Infinity\"");
}

}  // namespace
}  // namespace carrack::data::cli
