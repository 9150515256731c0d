// Recurrent layers against double precision, their gradients against slopes of that, and the same bits for every
// instruction set of this machine, any number of threads and any other rows.
#include "trainer/kernels/recurrent.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "tests/trainer/kernels/naive.h"
#include "trainer/kernels/gate_functions.h"
#include "trainer/kernels/thread_pool.h"
#include "trainer/reference/recurrent.h"

namespace carrack::train::cpu {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

enum class Kind { lstm, gru };

Floats drawn(std::int64_t rows, std::int64_t columns, std::uint32_t seed) {
  Floats values = naive::numbers(static_cast<std::size_t>(rows * columns), seed);
  for (float& value : values) value /= 8192;
  return values;
}

struct Results {
  Floats y, gates, beside, of_sums, of_state_sums;  // beside: the cells, or h R + s of the gate n
};

struct Layer {
  Layer(Kind layer_kind, const RecurrentShape& layer_shape) : kind(layer_kind), shape(layer_shape) {}

  Kind kind;
  RecurrentShape shape;
  std::int64_t width = (kind == Kind::lstm ? 4 : 3) * shape.units, all_steps = shape.rows * shape.steps;
  Floats x = drawn(all_steps, shape.inputs, 1), w = drawn(shape.inputs, width, 2), r = drawn(shape.units, width, 3);
  Floats bias = drawn(1, width, 4), state_bias = drawn(1, width, 5), of_y = drawn(all_steps, shape.units, 6);

  Results run(const RecurrentOptions& options = {}) const {
    const auto room = [&](std::int64_t columns) { return Floats(static_cast<std::size_t>(all_steps * columns), NAN); };
    Results to{room(shape.units), room(width), room(shape.units), room(width), {}};
    if (kind == Kind::lstm) {
      lstm(shape, {x.data(), w.data(), r.data(), bias.data(), to.y.data(), to.beside.data(), to.gates.data()}, options);
      lstm_gradient(shape, {of_y.data(), to.beside.data(), to.gates.data(), r.data(), to.of_sums.data()}, options);
    } else {
      to.of_state_sums = room(width);
      gru(shape,
          {x.data(), w.data(), r.data(), bias.data(), state_bias.data(), to.y.data(), to.gates.data(),
           to.beside.data()},
          options);
      gru_gradient(shape,
                   {of_y.data(), to.y.data(), to.gates.data(), to.beside.data(), r.data(), to.of_sums.data(),
                    to.of_state_sums.data()},
                   options);
    }
    return to;
  }

  // b + x W of a row.
  Doubles input_sums(std::int64_t row) const {
    Doubles sums;
    for (std::int64_t step = row * shape.steps; step < (row + 1) * shape.steps; ++step) {
      for (std::int64_t column = 0; column < width; ++column) {
        double sum = bias[static_cast<std::size_t>(column)];
        for (std::int64_t i = 0; i < shape.inputs; ++i) {
          sum += double{x[static_cast<std::size_t>(step * shape.inputs + i)]} *
                 w[static_cast<std::size_t>(i * width + column)];
        }
        sums.push_back(sum);
      }
    }
    return sums;
  }
  Doubles state_biases() const {
    Doubles biases;
    for (std::int64_t step = 0; step < shape.steps; ++step) {
      biases.insert(biases.end(), state_bias.begin(), state_bias.end());
    }
    return biases;
  }
  Doubles states(const Doubles& sums, const Doubles& biases) const {
    const auto units = static_cast<std::size_t>(shape.units);
    const Doubles weights(r.begin(), r.end());
    return kind == Kind::lstm ? reference::lstm(units, sums, weights).y
                              : reference::gru(units, sums, biases, weights).y;
  }
  // The sum of of_y times y, over a row.
  double loss(std::int64_t row, const Doubles& sums, const Doubles& biases) const {
    const Doubles y = states(sums, biases);
    double loss = 0;
    for (std::size_t i = 0; i < y.size(); ++i) loss += y[i] * of_y[static_cast<std::size_t>(row) * y.size() + i];
    return loss;
  }
};

bool same_bits(const Floats& a, const Floats& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

void expect_same_bits(const Results& a, const Results& b) {
  EXPECT_TRUE(same_bits(a.y, b.y));
  EXPECT_TRUE(same_bits(a.gates, b.gates));
  EXPECT_TRUE(same_bits(a.beside, b.beside));
  EXPECT_TRUE(same_bits(a.of_sums, b.of_sums));
  EXPECT_TRUE(same_bits(a.of_state_sums, b.of_state_sums));
}

std::vector<GemmLevel> levels() {
  std::vector<GemmLevel> all;
  for (const auto level : {GemmLevel::portable, GemmLevel::avx2, GemmLevel::avx512}) {
    if (has(level)) all.push_back(level);
  }
  return all;
}

std::string text(const RecurrentShape& shape) {
  return std::to_string(shape.rows) + " rows, " + std::to_string(shape.steps) + " steps, " +
         std::to_string(shape.inputs) + " inputs, " + std::to_string(shape.units) + " units";
}

const std::vector<RecurrentShape> shapes{{1, 1, 1, 1},  {2, 2, 3, 1},   {3, 5, 1, 3},    {7, 2, 8, 17},
                                         {1, 64, 5, 3}, {5, 64, 8, 64}, {130, 3, 2, 20}, {17, 4, 40, 33}};

class Recurrent : public testing::TestWithParam<Kind> {};

INSTANTIATE_TEST_SUITE_P(Layers, Recurrent, testing::Values(Kind::lstm, Kind::gru),
                         [](const auto& kind) { return kind.param == Kind::lstm ? "Lstm" : "Gru"; });

TEST_P(Recurrent, StatesAreThoseOfDoublePrecision) {
  for (const RecurrentShape& shape : shapes) {
    SCOPED_TRACE(text(shape));
    const Layer layer(GetParam(), shape);
    const Results found = layer.run();
    for (std::int64_t row = 0; row < shape.rows; ++row) {
      const Doubles expected = layer.states(layer.input_sums(row), layer.state_biases());
      const float* y = found.y.data() + static_cast<std::size_t>(row) * expected.size();
      for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(y[i], expected[i], 1e-5) << row << ", " << i;
    }
  }
}

// By central differences, at some of the elements.
TEST_P(Recurrent, GradientsAreSlopes) {
  for (const RecurrentShape& shape : shapes) {
    SCOPED_TRACE(text(shape));
    const Layer layer(GetParam(), shape);
    const Results found = layer.run();
    const std::int64_t row = shape.rows - 1;
    const Doubles sums = layer.input_sums(row), biases = layer.state_biases();
    const auto expect_slopes = [&](const Floats& gradient, Doubles& changed, const auto& loss) {
      const float* of_row = gradient.data() + static_cast<std::size_t>(row) * changed.size();
      for (std::size_t i = 0; i < changed.size(); i += 1 + changed.size() / 40) {
        const double at = changed[i], half_width = 1e-5;
        changed[i] = at + half_width;
        const double above = loss();
        changed[i] = at - half_width;
        const double below = loss();
        changed[i] = at;
        ASSERT_NEAR(of_row[i], (above - below) / (2 * half_width), 2e-5) << i;
      }
    };
    Doubles changed = sums;
    expect_slopes(found.of_sums, changed, [&] { return layer.loss(row, changed, biases); });
    if (GetParam() == Kind::lstm) continue;
    changed = biases;
    expect_slopes(found.of_state_sums, changed, [&] { return layer.loss(row, sums, changed); });
  }
}

TEST_P(Recurrent, HasTheSameBitsWithEveryInstructionSet) {
  for (const RecurrentShape& shape : shapes) {
    SCOPED_TRACE(text(shape));
    const Layer layer(GetParam(), shape);
    const Results expected = layer.run({.level = GemmLevel::portable});
    for (const GemmLevel level : levels()) expect_same_bits(layer.run({.level = level}), expected);
  }
}

TEST_P(Recurrent, HasTheSameBitsWithAnyNumberOfThreads) {
  for (int threads = 1; threads <= 4; ++threads) {
    ThreadPool pool(threads);
    for (const RecurrentShape& shape : {RecurrentShape{0, 3, 2, 5}, {1, 3, 2, 5}, {33, 3, 2, 5}, {300, 7, 3, 20}}) {
      SCOPED_TRACE(std::to_string(threads) + " threads, " + text(shape));
      const Layer layer(GetParam(), shape);
      expect_same_bits(layer.run({.threads = &pool}), layer.run());
    }
  }
}

TEST_P(Recurrent, RowsDoNotDependOnOtherRows) {
  const Layer all(GetParam(), {131, 5, 3, 18});
  const Results expected = all.run();
  for (const std::int64_t row : {0, 1, 64, 130}) {
    Layer one(GetParam(), {1, 5, 3, 18});
    const auto part = [&](const Floats& of_all) {
      const auto size = static_cast<std::ptrdiff_t>(of_all.size()) / 131;
      return size == 0 ? Floats() : Floats(of_all.begin() + row * size, of_all.begin() + (row + 1) * size);
    };
    one.x = part(all.x);
    one.of_y = part(all.of_y);
    expect_same_bits(one.run(), {part(expected.y), part(expected.gates), part(expected.beside), part(expected.of_sums),
                                 part(expected.of_state_sums)});
  }
}

TEST_P(Recurrent, NaNStaysInItsRow) {
  Layer layer(GetParam(), {20, 3, 2, 17});
  layer.x[2 * 3 * 2] = NAN;  // Of row 2, step 0.
  for (const GemmLevel level : levels()) {
    const Results found = layer.run({.level = level});
    for (std::size_t i = 0; i < found.y.size(); ++i) {
      ASSERT_EQ(std::isnan(found.y[i]), i / (3 * 17) == 2) << i;
      ASSERT_EQ(std::isnan(found.of_sums[i]), i / (3 * 17) / (found.gates.size() / found.y.size()) == 2) << i;
    }
  }
}

TEST_P(Recurrent, WithLargeWeightsStaysFinite) {
  Layer layer(GetParam(), {3, 20, 2, 16});
  for (float& weight : layer.w) weight *= 1e30f;
  for (float& weight : layer.r) weight *= 1e30f;
  const Results found = layer.run();
  for (const float y : found.y) ASSERT_LE(std::fabs(y), 1);
}

TEST(StepInputs, AreOneAndXAndTheStateOfTheStepBefore) {
  const RecurrentShape shape{.rows = 2, .steps = 2, .inputs = 1, .units = 2};
  const Floats x{1, 2, 3, 4}, y{10, 11, 12, 13, 14, 15, 16, 17};
  Floats to(16, NAN);
  step_inputs(shape, x.data(), y.data(), to.data());
  EXPECT_EQ(to, (Floats{1, 1, 0, 0, 1, 2, 10, 11, 1, 3, 0, 0, 1, 4, 14, 15}));
  Floats without_x(12, NAN);
  ThreadPool pool(2);
  step_inputs({.rows = 2, .steps = 2, .inputs = 0, .units = 2}, nullptr, y.data(), without_x.data(), &pool);
  EXPECT_EQ(without_x, (Floats{1, 0, 0, 1, 10, 11, 1, 0, 0, 1, 14, 15}));
}

// The greatest distance from `exact` in units in the last place of the result, over [-limit, limit].
template <class Function, class Exact>
double worst(float limit, Function function, Exact exact) {
  double worst = 0;
  constexpr int steps = 400'000;
  for (int i = -steps; i <= steps; ++i) {
    const float x = limit * (static_cast<float>(i) / steps);
    const double expected = exact(static_cast<double>(x));
    const float size = std::fabs(static_cast<float>(expected));
    const double unit = static_cast<double>(std::nextafter(size, 1e30f)) - size;
    worst = std::max(worst, std::fabs(static_cast<double>(function(x)) - expected) / unit);
  }
  return worst;
}

// A vector of one float.
struct One {
  float value;

  static One all(float x) { return {x}; }
  friend One operator+(One a, One b) { return {a.value + b.value}; }
  friend One operator-(One a, One b) { return {a.value - b.value}; }
  friend One operator*(One a, One b) { return {a.value * b.value}; }
  friend One operator/(One a, One b) { return {a.value / b.value}; }
  friend One fma(One a, One b, One c) { return {std::fma(a.value, b.value, c.value)}; }
  friend One least(One a, One b) { return {a.value < b.value ? a.value : b.value}; }
  friend One greatest(One a, One b) { return {a.value > b.value ? a.value : b.value}; }
  static One power_of_two(One x) { return {std::exp2(x.value - 12582912.0f)}; }
};

float sigmoid(float x) {
  return gate_sigmoid(One{x}).value;
}

float tanh(float x) {
  return gate_tanh(One{x}).value;
}

TEST(GateFunctions, AreWithinAFewUnitsInTheLastPlace) {
  for (const float limit : {1e-3f, 1.0f, 9.0f, 80.0f}) {
    EXPECT_LT(worst(limit, sigmoid, reference::sigmoid), 3);
    EXPECT_LT(worst(limit, tanh, [](double x) { return std::tanh(x); }), 6);
  }
}

TEST(GateFunctions, AreAtTheirLimitsFarFromZero) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const float far : {100.0f, 1e30f, infinity}) {
    EXPECT_EQ(sigmoid(far), 1);
    EXPECT_NEAR(sigmoid(-far), 0, 2e-38);
    EXPECT_EQ(tanh(far), 1);
    EXPECT_EQ(tanh(-far), -1);
  }
  for (float x = 0; x < 12; x += 1e-4f) EXPECT_LE(tanh(x), 1);
  EXPECT_EQ(tanh(0), 0);
  EXPECT_TRUE(std::isnan(sigmoid(NAN)) && std::isnan(tanh(NAN)));
}

}  // namespace
}  // namespace carrack::train::cpu
