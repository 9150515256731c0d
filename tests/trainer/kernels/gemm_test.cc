// The matrix product against chains of std::fma(), bit for bit: all transposes, sizes around those of vectors, tiles
// and blocks, every instruction set of this machine, any number of threads, lanes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "tests/trainer/kernels/naive.h"
#include "trainer/error.h"
#include "trainer/kernels/lanes.h"
#include "trainer/kernels/matrix.h"
#include "trainer/kernels/thread_pool.h"

namespace carrack::train {

// How googletest prints one.
void PrintTo(const GemmShape& shape, std::ostream* out) {
  *out << shape.m << " x " << shape.n << " x " << shape.k << (shape.transpose_a ? ", A transposed" : "")
       << (shape.transpose_b ? ", B transposed" : "");
}

namespace {

using Ends = std::vector<std::int64_t>;

struct Operands {
  explicit Operands(const GemmShape& shape)
      : a(naive::numbers(static_cast<std::size_t>(shape.m * shape.k), 1)),
        b(naive::numbers(static_cast<std::size_t>(shape.k * shape.n), 2)),
        c(naive::numbers(static_cast<std::size_t>(shape.m * shape.n), 3)) {}

  std::vector<float> a, b, c;
};

float chain(const GemmShape& shape, const Operands& of, std::int64_t i, std::int64_t j, Range steps, float sum) {
  for (std::int64_t k = steps.begin; k < steps.end; ++k) {
    sum = std::fma(of.a[static_cast<std::size_t>(shape.transpose_a ? k * shape.m + i : i * shape.k + k)],
                   of.b[static_cast<std::size_t>(shape.transpose_b ? j * shape.k + k : k * shape.n + j)], sum);
  }
  return sum;
}

float tree(std::span<const float> lanes) {
  if (lanes.size() == 1) return lanes[0];
  const std::size_t half = lanes.size() / 2;
  return tree(lanes.first(half)) + tree(lanes.last(half));
}

std::vector<float> naive_gemm(const GemmShape& shape, const Operands& of, bool accumulate = false,
                              const Ends& ends = {}) {
  std::vector<float> c = of.c;
  for (std::int64_t i = 0; i < shape.m; ++i) {
    for (std::int64_t j = 0; j < shape.n; ++j) {
      float& element = c[static_cast<std::size_t>(i * shape.n + j)];
      const float before = accumulate ? element : 0.0f;
      if (ends.empty()) {
        element = chain(shape, of, i, j, {0, shape.k}, before);
        continue;
      }
      std::vector<float> lanes;
      std::int64_t begin = 0;
      for (const std::int64_t end : ends) {
        lanes.push_back(chain(shape, of, i, j, {begin, end}, 0));
        begin = end;
      }
      element = accumulate ? before + tree(lanes) : tree(lanes);
    }
  }
  return c;
}

std::vector<float> with(cpu::GemmLevel level, const GemmShape& shape, const Operands& of,
                        const cpu::GemmOptions& options = {}) {
  std::vector<float> c = of.c;
  if (!options.accumulate) std::fill(c.begin(), c.end(), std::numeric_limits<float>::quiet_NaN());
  cpu::gemm_with(level, shape, of.a.data(), of.b.data(), c.data(), options);
  return c;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

std::vector<cpu::GemmLevel> levels() {
  std::vector<cpu::GemmLevel> all;
  for (const auto level : {cpu::GemmLevel::portable, cpu::GemmLevel::avx2, cpu::GemmLevel::avx512}) {
    if (cpu::has(level)) all.push_back(level);
  }
  return all;
}

std::vector<GemmShape> transposed(std::int64_t m, std::int64_t n, std::int64_t k) {
  return {{false, false, m, n, k}, {false, true, m, n, k}, {true, false, m, n, k}, {true, true, m, n, k}};
}

class Draw {
 public:
  std::int64_t operator()(std::int64_t below) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int64_t>((state_ >> 33) % static_cast<std::uint64_t>(below));
  }

 private:
  std::uint64_t state_ = 1;
};

// Ascending ends, some of them equal.
Ends drawn_ends(Draw& draw, std::int64_t k, int lanes) {
  Ends ends;
  for (int i = 1; i < lanes; ++i) ends.push_back(draw(k + 1));
  std::sort(ends.begin(), ends.end());
  ends.push_back(k);
  return ends;
}

void expect_naive(const GemmShape& shape, bool accumulate = false, const Ends& ends = {}) {
  const Operands operands(shape);
  const std::vector<float> expected = naive_gemm(shape, operands, accumulate, ends);
  for (const cpu::GemmLevel level : levels()) {
    EXPECT_TRUE(same_bits(with(level, shape, operands, {.accumulate = accumulate, .lane_ends = ends}), expected))
        << testing::PrintToString(shape) << ", level " << static_cast<int>(level) << ", " << ends.size() << " lanes"
        << (accumulate ? ", accumulating" : "");
  }
}

TEST(Gemm, IsAChainOfFusedMultiplyAdds) {
  for (const std::int64_t m : {0, 1, 2, 5, 15, 29}) {
    for (const std::int64_t n : {0, 1, 2, 7, 16, 33, 65}) {
      for (const std::int64_t k : {0, 1, 3, 17, 40}) {
        for (const GemmShape& shape : transposed(m, n, k)) expect_naive(shape);
      }
    }
  }
}

TEST(Gemm, OfDrawnSizesIsAChain) {
  Draw draw;
  for (int i = 0; i < 60; ++i) {
    for (const GemmShape& shape : transposed(draw(41), 1 + draw(70), draw(601))) expect_naive(shape, draw(2) == 1);
  }
}

TEST(Gemm, LargerThanAllBlocksIsAChain) {
  for (const GemmShape& shape : transposed(350, 35, 90)) expect_naive(shape);
  for (const GemmShape& shape : transposed(17, 300, 330)) expect_naive(shape, true);
  for (const GemmShape& shape : transposed(3, 70, 1300)) expect_naive(shape);
  for (const GemmShape& shape : transposed(1100, 1, 50)) expect_naive(shape, true);
  for (const GemmShape& shape : transposed(1, 2100, 33)) expect_naive(shape);
}

TEST(Gemm, AddsUpLanesAlongTheTree) {
  Draw draw;
  for (int lanes = 1; lanes <= 64; lanes *= 2) {
    for (int i = 0; i < 6; ++i) {
      const std::int64_t k = draw(i < 3 ? 100 : 500);
      const Ends ends = drawn_ends(draw, k, lanes);
      for (const GemmShape& shape : transposed(draw(30), 1 + draw(70), k)) expect_naive(shape, draw(2) == 1, ends);
      for (const GemmShape& shape : transposed(1, 1 + draw(70), k)) expect_naive(shape, draw(2) == 1, ends);
      for (const GemmShape& shape : transposed(1 + draw(70), 1, k)) expect_naive(shape, draw(2) == 1, ends);
    }
  }
}

// The state of each tile then waits between two blocks along k, and there are several blocks of rows and columns.
TEST(Gemm, AddsUpLanesOfLargeProducts) {
  Draw draw;
  for (const GemmShape& shape : transposed(90, 40, 700)) expect_naive(shape, false, drawn_ends(draw, 700, 16));
  for (const GemmShape& shape : transposed(20, 270, 650)) expect_naive(shape, true, drawn_ends(draw, 650, 4));
  const std::int64_t k = 970;  // Four blocks of 242 and 243, at whose ends lanes end, also empty ones.
  for (const GemmShape& shape : transposed(9, 20, k)) expect_naive(shape, false, {0, 0, 243, 243, 486, 728, 728, k});
  for (const GemmShape& shape : transposed(9, 20, k)) expect_naive(shape, false, {0, 243, k, k});
}

TEST(Gemm, RefusesLanesThatDoNotFit) {
  const GemmShape shape{.m = 1, .n = 2, .k = 4};
  const Operands operands(shape);
  for (const Ends& ends : {Ends{3}, Ends{5}, Ends{1, 2, 4}, Ends{3, 2, 3, 4}, Ends{-1, 4}}) {
    EXPECT_THROW(with(cpu::GemmLevel::portable, shape, operands, {.lane_ends = ends}), Error);
  }
}

TEST(Gemm, HasTheSameBitsWithAnyNumberOfThreads) {
  Draw draw;
  for (const int threads : {1, 2, 3, 7}) {
    cpu::ThreadPool pool(threads);
    for (const auto& [m, n] :
         {std::pair{300, 64}, {20, 500}, {130, 130}, {5000, 1}, {1, 5000}, {3, 2}, {999, 17}, {2, 3000}}) {
      for (const GemmShape& shape : transposed(m, n, 400)) {
        const Operands operands(shape);
        const Ends ends = drawn_ends(draw, 400, 8);
        for (const bool accumulate : {false, true}) {
          const auto level = levels().back();
          EXPECT_TRUE(same_bits(with(level, shape, operands, {.accumulate = accumulate, .threads = &pool}),
                                with(level, shape, operands, {.accumulate = accumulate})));
          EXPECT_TRUE(
              same_bits(with(level, shape, operands, {.accumulate = accumulate, .lane_ends = ends, .threads = &pool}),
                        with(level, shape, operands, {.accumulate = accumulate, .lane_ends = ends})));
        }
      }
    }
  }
}

TEST(Gemm, OfARowDoesNotDependOnTheOtherRows) {
  for (const std::int64_t n : {1, 10, 100}) {
    const GemmShape whole{.m = 257, .n = n, .k = 37};
    const Operands operands(whole);
    const std::vector<float> expected = with(levels().back(), whole, operands);
    for (std::int64_t rows = 1; rows <= whole.m; ++rows) {
      std::vector<float> c(static_cast<std::size_t>(rows * n));
      const std::int64_t first = whole.m - rows;
      cpu::gemm({.m = rows, .n = n, .k = 37}, operands.a.data() + first * 37, operands.b.data(), c.data());
      ASSERT_TRUE(same_bits(c, {expected.begin() + first * n, expected.end()})) << rows << " rows";
    }
  }
}

TEST(Gemm, SkipsNothing) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const std::int64_t n : {1, 3, 20}) {
    for (const GemmShape& shape : transposed(3, n, 5)) {
      for (const float special : {NAN, infinity, -infinity}) {
        Operands operands(shape);
        std::fill(operands.a.begin(), operands.a.end(), 0.0f);
        std::fill(operands.b.begin(), operands.b.end(), special);
        for (const cpu::GemmLevel level : levels()) {
          for (const float element : with(level, shape, operands)) EXPECT_TRUE(std::isnan(element));
        }
        std::fill(operands.a.begin(), operands.a.end(), 1.0f);
        for (const cpu::GemmLevel level : levels()) {
          for (const float element : with(level, shape, operands)) {
            EXPECT_TRUE(std::isnan(special) ? std::isnan(element) : element == special);
          }
        }
      }
    }
  }
}

TEST(Gemm, NeedsNoAlignmentAndStaysWithinC) {
  const GemmShape shape{.m = 19, .n = 37, .k = 23};
  const Operands operands(shape);
  const std::vector<float> expected = naive_gemm(shape, operands);
  for (std::ptrdiff_t shift = 1; shift < 16; ++shift) {
    std::vector<float> a(static_cast<std::size_t>(shift)), b = a, c(expected.size() + 32, 7.0f);
    a.insert(a.end(), operands.a.begin(), operands.a.end());
    b.insert(b.end(), operands.b.begin(), operands.b.end());
    for (const cpu::GemmLevel level : levels()) {
      cpu::gemm_with(level, shape, a.data() + shift, b.data() + shift, c.data() + shift);
      EXPECT_TRUE(same_bits({c.begin() + shift, c.end() - 32 + shift}, expected));
      EXPECT_EQ(std::count(c.begin(), c.begin() + shift, 7.0f), shift);
      EXPECT_EQ(std::count(c.end() - 32 + shift, c.end(), 7.0f), 32 - shift);
    }
  }
}

}  // namespace
}  // namespace carrack::train
