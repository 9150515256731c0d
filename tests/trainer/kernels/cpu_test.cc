// The cpu kernels of the graph, but for the matrix product (gemm_test.cc): their results, and the order of their sums
// against the order that their headers state.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/trainer/kernels/naive.h"
#include "trainer/kernels/arithmetic.h"
#include "trainer/kernels/normalization.h"
#include "trainer/kernels/rows.h"
#include "trainer/kernels/sums.h"

namespace carrack::train {
namespace {

TEST(Sum, TakesTheOrderThatItStates) {
  for (const std::size_t size : {0u, 1u, 15u, 16u, 17u, 1000u}) {
    const std::vector<float> values = naive::numbers(size, 5);
    std::vector<float> sums(16);
    for (std::size_t i = 0; i < size; ++i) sums[i % 16] += values[i];
    for (std::size_t half = 8; half > 0; half /= 2) {
      for (std::size_t i = 0; i < half; ++i) sums[i] = sums[i] + sums[i + half];
    }
    EXPECT_EQ(cpu::sum(values), sums[0]) << size << " elements";
  }
}

TEST(SumOfProducts, IsTheSumOfThem) {
  for (const std::size_t size : {0u, 1u, 17u, 1000u}) {
    const std::vector<float> a = naive::numbers(size, 5), b = naive::numbers(size, 6);
    std::vector<float> products(size);
    for (std::size_t i = 0; i < size; ++i) products[i] = a[i] * b[i];
    EXPECT_EQ(cpu::sum_of_products(a, b), cpu::sum(products)) << size << " elements";
  }
}

TEST(LayerNormalization, GivesEachRowMeanZeroAndVarianceOne) {
  constexpr std::size_t rows = 5, width = 37;
  std::vector<float> x = naive::numbers(rows * width, 3), normalized(x.size()), inverse(rows);
  std::fill_n(x.begin(), width, 1e6f);  // a row of equal values
  cpu::layer_normalization({rows, width}, 0.01f, x.data(), normalized.data(), inverse.data());
  for (std::size_t row = 0; row < rows; ++row) {
    double mean = 0, variance = 0;
    for (std::size_t i = 0; i < width; ++i) mean += x[row * width + i] / double{width};
    for (std::size_t i = 0; i < width; ++i) variance += std::pow(x[row * width + i] - mean, 2) / double{width};
    const double expected = 1 / std::sqrt(variance + 0.01f);
    EXPECT_NEAR(inverse[row], expected, 1e-6 * expected);
    for (std::size_t i = 0; i < width; ++i) {
      EXPECT_NEAR(normalized[row * width + i], (x[row * width + i] - mean) * expected, 1e-5) << row << " " << i;
    }
  }
}

TEST(LayerNormalization, GivesARowTheSameBitsAmongAnyOthers) {
  constexpr std::size_t rows = 3, width = 37;
  const std::vector<float> x = naive::numbers(rows * width, 3), of_y = naive::numbers(rows * width, 4);
  const auto computed = [&](std::size_t first, std::size_t count) {
    std::vector<float> y(count * width), inverse(count), of_x(count * width);
    const Table shape{static_cast<std::int64_t>(count), width};
    cpu::layer_normalization(shape, 0.01f, x.data() + first * width, y.data(), inverse.data());
    cpu::layer_normalization_gradient(shape, of_y.data() + first * width, y.data(), inverse.data(), of_x.data());
    y.insert(y.end(), of_x.begin(), of_x.end());
    return y;
  };
  const std::vector<float> all = computed(0, rows), second = computed(1, 1);
  EXPECT_TRUE(std::equal(second.begin(), second.begin() + width, all.begin() + width));
  EXPECT_TRUE(std::equal(second.begin() + width, second.end(), all.begin() + (rows + 1) * width));
}

struct NormalizedBatch {
  std::vector<float> y, of_x, means, variances;
  bool operator==(const NormalizedBatch&) const = default;
};

NormalizedBatch normalized(const BatchNormalization& by, const std::vector<float>& x, const std::vector<float>& of_y,
                           cpu::ThreadPool* threads = nullptr) {
  const auto width = static_cast<std::size_t>(by.shape.width);
  NormalizedBatch batch{std::vector<float>(x.size(), NAN), std::vector<float>(x.size(), NAN),
                        std::vector<float>(width, NAN), std::vector<float>(width, NAN)};
  cpu::batch_normalization(by, x.data(), batch.y.data(), {batch.means.data(), batch.variances.data()}, threads);
  cpu::batch_normalization_gradient(by, of_y.data(), x.data(), batch.of_x.data(), threads);
  return batch;
}

// Of records with three rows each.
TEST(BatchNormalization, GivesEachColumnOfALaneMeanZeroAndVarianceOne) {
  constexpr std::size_t rows = 27, width = 83;
  std::vector<float> x = naive::numbers(rows * width, 3);
  for (float& one : x) one /= 16384;
  for (std::size_t row = 0; row < rows; ++row) x[row * width] = 1e6f;  // a column of equal values
  const std::vector<std::int64_t> ends{2, 2, 3, 9};
  const BatchNormalization by{
      .shape = {rows, width}, .rows_per_record = 3, .epsilon = 0.01f, .lane_ends = LaneEnds(ends).times(3)};
  const NormalizedBatch batch = normalized(by, x, naive::numbers(x.size(), 4));
  for (std::size_t column = 0; column < width; ++column) {
    double sum_of_means = 0, sum_of_variances = 0;
    std::size_t begin = 0;
    for (const std::int64_t lane_end : ends) {
      const std::size_t end = 3 * static_cast<std::size_t>(lane_end);
      const double count = static_cast<double>(end - begin);
      double mean = 0, variance = 0;
      for (std::size_t row = begin; row < end; ++row) mean += x[row * width + column] / count;
      for (std::size_t row = begin; row < end; ++row) variance += std::pow(x[row * width + column] - mean, 2) / count;
      for (std::size_t row = begin; row < end; ++row) {
        const double expected = (x[row * width + column] - mean) / std::sqrt(variance + 0.01f);
        EXPECT_NEAR(batch.y[row * width + column], expected, 1e-5) << row << " " << column;
      }
      sum_of_means += mean * count / 3;
      sum_of_variances += variance * count / 3;
      begin = end;
    }
    EXPECT_NEAR(batch.means[column], sum_of_means, 1e-5 * (1 + std::fabs(sum_of_means))) << column;
    EXPECT_NEAR(batch.variances[column], sum_of_variances, 1e-5 * (1 + sum_of_variances)) << column;
  }
}

TEST(BatchNormalization, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const std::int64_t width : {1, 15, 64, 300}) {
    const BatchNormalization by{.shape = {400, width}, .epsilon = 1e-3f};
    const std::vector<float> x = naive::numbers(static_cast<std::size_t>(400 * width), 5),
                             of_y = naive::numbers(x.size(), 6);
    const NormalizedBatch alone = normalized(by, x, of_y);
    for (const int count : {2, 3, 8}) {
      cpu::ThreadPool threads(count);
      EXPECT_EQ(normalized(by, x, of_y, &threads), alone) << width << " columns, " << count << " threads";
    }
  }
}

// The sum of a column over the rows [begin, end), as normalization.h describes it.
double sum_by_chunks(const std::vector<float>& x, std::size_t width, std::size_t column, std::size_t begin,
                     std::size_t end) {
  double all = 0;
  for (std::size_t first = begin; first < end; first += normalization_chunk_rows) {
    double chain = 0;
    for (std::size_t row = first; row < std::min(first + normalization_chunk_rows, end); ++row) {
      chain += double{x[row * width + column]};
    }
    all += chain;
  }
  return all;
}

TEST(BatchNormalization, AddsChunksOfALaneInOrder) {
  constexpr std::size_t width = 3;
  const std::vector<std::int64_t> ends{70, 500};
  std::vector<float> x = naive::numbers(500 * width, 7);
  for (std::size_t i = 0; i < x.size(); i += 5) x[i] *= 1e6f;  // so that another order gives other bits
  const NormalizedBatch batch = normalized({.shape = {500, width}, .epsilon = 1e-3f, .lane_ends = ends}, x, x);
  for (std::size_t column = 0; column < width; ++column) {
    const double first = sum_by_chunks(x, width, column, 0, 70) / 70 * 70;
    const double second = sum_by_chunks(x, width, column, 70, 500) / 430 * 430;
    EXPECT_EQ(batch.means[column], static_cast<float>(first) + static_cast<float>(second));
  }
}

TEST(BatchNormalization, GivesALaneTheSameBitsWhereverItBegins) {
  constexpr std::size_t rows = 300, width = 5;
  const std::vector<float> x = naive::numbers(rows * width, 8), of_y = naive::numbers(rows * width, 9);
  const NormalizedBatch alone = normalized({.shape = {rows, width}, .epsilon = 1e-3f}, x, of_y);
  const auto behind = [&](std::size_t others, const std::vector<float>& values) {
    std::vector<float> all = naive::numbers(others * width, 10);
    all.insert(all.end(), values.begin(), values.end());
    return all;
  };
  for (const std::size_t others : {1, 100, 128, 257}) {
    const std::vector<std::int64_t> ends{static_cast<std::int64_t>(others), static_cast<std::int64_t>(others + rows)};
    const BatchNormalization by{.shape = {ends[1], width}, .epsilon = 1e-3f, .lane_ends = ends};
    const NormalizedBatch both = normalized(by, behind(others, x), behind(others, of_y));
    const auto first = static_cast<std::ptrdiff_t>(others * width);
    EXPECT_TRUE(std::equal(alone.y.begin(), alone.y.end(), both.y.begin() + first)) << others;
    EXPECT_TRUE(std::equal(alone.of_x.begin(), alone.of_x.end(), both.of_x.begin() + first)) << others;
  }
}

TEST(BatchNormalization, OfNoRowsIsZero) {
  EXPECT_EQ(normalized({.shape = {0, 2}, .epsilon = 1e-3f}, {}, {}), (NormalizedBatch{{}, {}, {0, 0}, {0, 0}}));
}

TEST(Sum, HasTheSameBitsWhereverTheValuesLie) {
  const std::vector<float> values = naive::numbers(1003, 6);
  for (std::size_t shift = 0; shift < 16; ++shift) {
    std::vector<float> moved(shift, 0.0f);
    moved.insert(moved.end(), values.begin(), values.end());
    EXPECT_EQ(cpu::sum(std::span(moved).subspan(shift)), cpu::sum(values));
  }
}

TEST(ReduceSum, SumsOverTheMiddle) {
  const std::vector<float> values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  std::vector<float> sums(4);
  cpu::reduce_sum({2, 3, 2}, values.data(), sums.data());
  EXPECT_EQ(sums, (std::vector<float>{9, 12, 27, 30}));
  cpu::reduce_sum({4, 3, 1}, values.data(), sums.data());
  EXPECT_EQ(sums, (std::vector<float>{6, 15, 24, 33}));
}

TEST(ReduceSum, OverNothingIsZero) {
  std::vector<float> sums{NAN, NAN};
  cpu::reduce_sum({2, 0, 1}, nullptr, sums.data());
  EXPECT_EQ(sums, (std::vector<float>{0, 0}));
  sums = {NAN, NAN};
  cpu::reduce_sum({1, 0, 2}, nullptr, sums.data());
  EXPECT_EQ(sums, (std::vector<float>{0, 0}));
}

// Every pair of extents 1 or not, in each of four dimensions.
TEST(Arithmetic, BroadcastsAlongAnyDimension) {
  const Extents full{2, 3, 4, 5};
  for (unsigned a_ones = 0; a_ones < 16; ++a_ones) {
    for (unsigned b_ones = 0; b_ones < 16; ++b_ones) {
      Extents a_extents = full, b_extents = full, extents{};
      for (std::size_t i = 0; i < rank_max; ++i) {
        if (a_ones >> i & 1) a_extents[i] = 1;
        if (b_ones >> i & 1) b_extents[i] = 1;
        extents[i] = std::max(a_extents[i], b_extents[i]);
      }
      const std::vector<float> a = naive::numbers(static_cast<std::size_t>(element_count(a_extents)), 1);
      const std::vector<float> b = naive::numbers(static_cast<std::size_t>(element_count(b_extents)), 2);
      std::vector<float> difference(static_cast<std::size_t>(element_count(extents)));
      cpu::sub({a.data(), a_extents}, {b.data(), b_extents}, {difference.data(), extents});
      for (std::size_t at = 0; at < difference.size(); ++at) {
        std::size_t rest = at, a_at = 0, b_at = 0, a_stride = 1, b_stride = 1;
        for (std::size_t i = rank_max; i-- > 0;) {
          const std::size_t position = rest % static_cast<std::size_t>(extents[i]);
          rest /= static_cast<std::size_t>(extents[i]);
          a_at += a_extents[i] == 1 ? 0 : position * a_stride;
          b_at += b_extents[i] == 1 ? 0 : position * b_stride;
          a_stride *= static_cast<std::size_t>(a_extents[i]);
          b_stride *= static_cast<std::size_t>(b_extents[i]);
        }
        ASSERT_EQ(difference[at], a[a_at] - b[b_at]) << "ones " << a_ones << " and " << b_ones;
      }
    }
  }
}

TEST(Arithmetic, AddsMultipliesDividesNegatesTakesRootsRepeatsAndFills) {
  const std::vector<float> a{1, -2, 3}, b{10, 20, 30};
  const Extents extents{1, 1, 1, 3};
  std::vector<float> result(3);
  const Result into{result.data(), extents};
  cpu::add({a.data(), extents}, {b.data(), extents}, into);
  EXPECT_EQ(result, (std::vector<float>{11, 18, 33}));
  cpu::mul({a.data(), extents}, {b.data(), extents}, into);
  EXPECT_EQ(result, (std::vector<float>{10, -40, 90}));
  cpu::div({b.data(), extents}, {a.data(), extents}, into);
  EXPECT_EQ(result, (std::vector<float>{10, -10, 10}));
  cpu::div({a.data(), extents}, {b.data() + 2, {1, 1, 1, 1}}, into);
  EXPECT_EQ(result, (std::vector<float>{1.0f / 30, -2.0f / 30, 3.0f / 30}));
  cpu::neg({a.data(), extents}, into);
  EXPECT_EQ(result, (std::vector<float>{-1, 2, -3}));
  cpu::sqrt({b.data(), extents}, into);
  EXPECT_EQ(result, (std::vector<float>{std::sqrt(10.0f), std::sqrt(20.0f), std::sqrt(30.0f)}));
  cpu::expand({b.data() + 1, {1, 1, 1, 1}}, into);
  EXPECT_EQ(result, (std::vector<float>{20, 20, 20}));
  cpu::fill(7, into);
  EXPECT_EQ(result, (std::vector<float>{7, 7, 7}));
}

TEST(Arithmetic, SplitsNumbersIntoAbsoluteValuesAndSigns) {
  const std::vector<float> a{-2.5f, 0, -0.0f, 1e-45f, INFINITY, NAN};
  const Extents extents{1, 1, 1, 6};
  std::vector<float> absolute(6), signs(6);
  cpu::abs({a.data(), extents}, {absolute.data(), extents});
  cpu::sign({a.data(), extents}, {signs.data(), extents});
  EXPECT_EQ(std::vector<float>(absolute.begin(), absolute.end() - 1),
            (std::vector<float>{2.5f, 0, 0, 1e-45f, INFINITY}));
  EXPECT_EQ(std::vector<float>(signs.begin(), signs.end() - 1), (std::vector<float>{-1, 0, 0, 1, 1}));
  EXPECT_TRUE(std::isnan(absolute[5]) && std::isnan(signs[5]));
}

TEST(Rows, AreGatheredAndAddedTo) {
  const Table table{3, 2};
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  const std::vector<std::int64_t> indices{2, 0, 2};
  std::vector<float> gathered(6), scattered(6, NAN);
  cpu::gather(table, values.data(), indices, gathered.data());
  EXPECT_EQ(gathered, (std::vector<float>{5, 6, 1, 2, 5, 6}));
  std::vector<std::int64_t> by_index;
  cpu::scatter_add(table, indices, values.data(), scattered.data(), {}, by_index);
  EXPECT_EQ(scattered, (std::vector<float>{3, 4, 0, 0, 6, 8}));
}

TEST(Rows, OutsideTheTableAreFound) {
  const std::vector<std::int64_t> high{0, 3, 1}, low{-1};
  EXPECT_EQ(cpu::first_outside({3, 1}, high), &high[1]);
  EXPECT_EQ(cpu::first_outside({3, 1}, low), &low[0]);
  EXPECT_EQ(cpu::first_outside({4, 1}, high), nullptr);
}

}  // namespace
}  // namespace carrack::train
