#include "trainer/optimizer/gradient_norm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/trainer/kernels/naive.h"

namespace carrack::train {
namespace {

const std::vector<Range> three_blocks{{0, 2}, {2, 3}, {3, 5}};

TEST(GradientNorm, SumsTheSquaresOfEachBlockOnceDividedAndClipped) {
  const std::vector<float> sum{2, -4, 6, 8, -40};
  Training training{.optimizer = Sgd{}};
  training.clip = Clip{.norm = 1};
  EXPECT_EQ(squares_of_blocks(training, {}, three_blocks, 2, sum), (std::vector<double>{5, 9, 416}));
  training.clip->value = 5;
  EXPECT_EQ(squares_of_blocks(training, {}, three_blocks, 2, sum), (std::vector<double>{5, 9, 41}));
  training.reduction = Reduction::sum;
  EXPECT_EQ(squares_of_blocks(training, {}, three_blocks, 2, sum), (std::vector<double>{20, 25, 50}));
}

TEST(GradientNorm, LeavesOutFrozenTensorsAndAverages) {
  const std::vector<float> sum{2, -4, 6, 8, -40};
  const std::vector<UpdatePart> parts{{{0, 2}, 0.5, {}}, {{2, 3}, 0, {}}, {{3, 5}, 1, {}}};
  Training training{.optimizer = Sgd{}, .reduction = Reduction::sum};
  EXPECT_EQ(squares_of_blocks(training, parts, three_blocks, 2, sum), (std::vector<double>{20, 0, 1664}));
  const std::vector<UpdatePart> averages{{{0, 3}, 1, {}, 0.5}, {{3, 5}, 1, {}}};
  EXPECT_EQ(squares_of_blocks(training, averages, three_blocks, 2, sum), (std::vector<double>{0, 0, 1664}));
}

TEST(GradientNorm, ScalesToTheLimitAndNoFurther) {
  Training training;
  training.clip = Clip{.norm = 3};
  EXPECT_EQ(norm_scale(training, 0), 1);
  EXPECT_EQ(norm_scale(training, 9), 1);
  EXPECT_EQ(norm_scale(training, 36), 0.5);
  EXPECT_TRUE(std::isnan(norm_scale(training, std::nan(""))));
  EXPECT_EQ(norm_scale(training, INFINITY), 0) << "what is infinite becomes NaN";
}

TEST(GradientNorm, HasTheSameBlocksForAnyNumberOfServers) {
  const Layout layout({{"a/kernel", {10, 1000}}, {"a/bias", {5}}, {"b/kernel", {3, 3}}});
  const std::vector<float> sum = naive::numbers(static_cast<std::size_t>(layout.size()), 1);
  Training training{.optimizer = Sgd{}, .groups = {{.tensors = {"a/bias"}, .frozen = true}}};
  const auto all_squares = [&](int servers) {
    std::vector<double> all;
    for (const Range range : ranges_by_server(layout, servers)) {
      const auto own =
          std::span(sum).subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size()));
      const auto parts = update_parts(training.groups, layout, range);
      for (const double one : squares_of_blocks(training, parts, blocks(layout, range), 3, own)) all.push_back(one);
    }
    return all;
  };
  EXPECT_EQ(all_squares(1).size(), static_cast<std::size_t>(layout.block_count()));
  for (const int servers : {2, 3, 5}) EXPECT_EQ(all_squares(servers), all_squares(1)) << servers << " servers";
}

}  // namespace
}  // namespace carrack::train
