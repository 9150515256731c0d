#include "trainer/launch/quantity.h"

#include <gtest/gtest.h>

namespace carrack::train {
namespace {

TEST(Quantity, IsANumberOfBytes) {
  EXPECT_EQ(parse_quantity("64"), 64);
  EXPECT_EQ(parse_quantity("2k"), 2000);
  EXPECT_EQ(parse_quantity("1.5Gi"), 1'610'612'736);
  EXPECT_EQ(parse_quantity("99999999999999Ti"), std::uint64_t{1} << 62);
  for (const char* none : {"", "Mi", "0", "1.", ".5", "1.5.5", "-1", "1e3", "1mi", "1 Mi", "00000000000000000001"})
    EXPECT_EQ(parse_quantity(none), std::nullopt) << none;
}

}  // namespace
}  // namespace carrack::train
