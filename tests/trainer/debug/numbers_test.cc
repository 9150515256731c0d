#include "trainer/debug/numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace carrack::train {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
using Doubles = std::vector<double>;
using Floats = std::vector<float>;

TEST(Numbers, AreOfTheFiniteElements) {
  const Numbers numbers = numbers_of(Doubles{1, -infinity, NAN, 4, infinity, -2});
  EXPECT_EQ(numbers.min, -2);
  EXPECT_EQ(numbers.mean, 1);
  EXPECT_EQ(numbers.max, 4);
  EXPECT_EQ(numbers.nan, 1);
  EXPECT_EQ(numbers.infinite, 2);
  EXPECT_EQ(numbers.first_not_finite, 1u);
  EXPECT_EQ(numbers_of(Doubles{0, 1}).first_not_finite, std::nullopt);
}

TEST(Numbers, AreNaNWithoutFiniteElements) {
  const Numbers numbers = numbers_of(Doubles{NAN, infinity});
  EXPECT_TRUE(std::isnan(numbers.min) && std::isnan(numbers.mean) && std::isnan(numbers.max));
}

TEST(Difference, IsRelativeToTheLargestElement) {
  EXPECT_EQ(difference_of(Floats{1, 2.5f, -8}, Doubles{1, 2, -8}), 0.0625);
  EXPECT_EQ(difference_of(Floats{1, 2}, Doubles{1, 2}), 0);
  EXPECT_EQ(difference_of(Floats{0, 0}, Doubles{0, 0}), 0);
  EXPECT_EQ(difference_of(Floats{0, 1}, Doubles{0, 0}), infinity);
}

TEST(Difference, IsInfiniteWhereOnlyOneIsFinite) {
  EXPECT_EQ(difference_of(Floats{1, NAN}, Doubles{1, 2}), infinity);
  EXPECT_EQ(difference_of(Floats{1, 2}, Doubles{NAN, 2}), infinity);
  EXPECT_EQ(difference_of(Floats{INFINITY, 2}, Doubles{1e60, 2}), infinity);
  EXPECT_EQ(difference_of(Floats{NAN, 1}, Doubles{NAN, 2}), 0.5);
  EXPECT_TRUE(std::isnan(difference_of(Floats{NAN}, Doubles{NAN}))) << "nothing is compared";
}

}  // namespace
}  // namespace carrack::train
