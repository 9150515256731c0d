#include "trainer/kernels/update.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "tests/trainer/kernels/naive.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

constexpr std::size_t sizes[] = {0, 1, 7, 4096, 5003};
constexpr SgdStep sgd_step{.rate = 0.1f, .gradient = {.factor = 1.0f / 3, .limit = 0.01f, .scale = 0.7f}};
constexpr MomentumStep momentum_step{
    .rate = 0.1f, .momentum = 0.9f, .gradient = {.factor = 1.0f / 3, .limit = 0.01f, .scale = 0.7f}};
constexpr MomentumStep nesterov_step{
    .rate = 0.1f, .momentum = 0.9f, .nesterov = true, .gradient = {.factor = 1.0f / 3, .limit = 0.01f, .scale = 0.7f}};
constexpr RmsPropStep rms_prop_step{.rate = 0.1f,
                                    .rho = 0.9f,
                                    .one_minus_rho = 0.1f,
                                    .epsilon = 1e-7f,
                                    .gradient = {.factor = 1.0f / 3, .limit = 0.01f, .scale = 0.7f}};
constexpr AdamStep adam_step{.rate = 1e-2f,
                             .one_minus_beta1 = 0.1f,
                             .one_minus_beta2 = 1e-3f,
                             .epsilon = 1e-7f,
                             .gradient = {.factor = 1.0f / 3, .limit = 0.01f, .scale = 0.7f}};
constexpr AdamWStep adamw_step{.adam = adam_step, .learning_rate = 0.3f, .weight_decay = 0.4f};
constexpr AdagradStep adagrad_step{
    .rate = 0.1f, .epsilon = 1e-7f, .gradient = {.factor = 1.0f / 3, .limit = 0.01f, .scale = 0.7f}};
constexpr AverageStep average_step{.rate = 0.01f, .factor = 1.0f / 3};

using Floats = std::vector<float>;
using State = std::vector<Floats>;

struct Kernel {
  const char* name;
  std::size_t states;
  std::function<void(Floats& parameters, const Floats& gradients, State&)> naive;
  std::function<void(const Floats& parameters, const Floats& gradients, State&, Floats& updated)> cpu;
};

const Kernel kernels[] = {
    {"Sgd", 0, [](Floats& p, const Floats& g, State&) { naive::sgd(sgd_step, p, g); },
     [](const Floats& p, const Floats& g, State&, Floats& to) { cpu::sgd(sgd_step, p, g, to); }},
    {"Momentum", 1, [](Floats& p, const Floats& g, State& s) { naive::momentum(momentum_step, p, g, s[0]); },
     [](const Floats& p, const Floats& g, State& s, Floats& to) { cpu::momentum(momentum_step, p, g, s[0], to); }},
    {"Nesterov", 1, [](Floats& p, const Floats& g, State& s) { naive::momentum(nesterov_step, p, g, s[0]); },
     [](const Floats& p, const Floats& g, State& s, Floats& to) { cpu::momentum(nesterov_step, p, g, s[0], to); }},
    {"RmsProp", 1, [](Floats& p, const Floats& g, State& s) { naive::rms_prop(rms_prop_step, p, g, s[0]); },
     [](const Floats& p, const Floats& g, State& s, Floats& to) { cpu::rms_prop(rms_prop_step, p, g, s[0], to); }},
    {"Adam", 2, [](Floats& p, const Floats& g, State& s) { naive::adam(adam_step, p, g, s[0], s[1]); },
     [](const Floats& p, const Floats& g, State& s, Floats& to) { cpu::adam(adam_step, p, g, s[0], s[1], to); }},
    {"AdamW", 2, [](Floats& p, const Floats& g, State& s) { naive::adamw(adamw_step, p, g, s[0], s[1]); },
     [](const Floats& p, const Floats& g, State& s, Floats& to) { cpu::adamw(adamw_step, p, g, s[0], s[1], to); }},
    {"Adagrad", 1, [](Floats& p, const Floats& g, State& s) { naive::adagrad(adagrad_step, p, g, s[0]); },
     [](const Floats& p, const Floats& g, State& s, Floats& to) { cpu::adagrad(adagrad_step, p, g, s[0], to); }},
    {"Average", 0, [](Floats& p, const Floats& g, State&) { naive::average(average_step, p, g); },
     [](const Floats& p, const Floats& g, State&, Floats& to) { cpu::average(average_step, p, g, to); }},
};

// Positive, as Adam's v and Adagrad's accumulator are.
State state_of(const Kernel& kernel, std::size_t size) {
  State state;
  for (std::size_t i = 0; i < kernel.states; ++i) {
    state.push_back(naive::positive_numbers(size, static_cast<std::uint32_t>(3 + i)));
  }
  return state;
}

class EachKernel : public testing::TestWithParam<Kernel> {};

INSTANTIATE_TEST_SUITE_P(Update, EachKernel, testing::ValuesIn(kernels),
                         [](const auto& of) { return std::string(of.param.name); });

TEST_P(EachKernel, GivesTheBitsOfTheNaiveVersion) {
  for (const std::size_t size : sizes) {
    const Floats parameters = naive::numbers(size, 1), gradients = naive::numbers(size, 2);
    Floats expected = parameters, updated(size);
    State state = state_of(GetParam(), size), expected_state = state;
    for (int step = 0; step < 2; ++step) {
      GetParam().naive(expected, gradients, expected_state);
      GetParam().cpu(step == 0 ? parameters : Floats(updated), gradients, state, updated);
      EXPECT_EQ(updated, expected) << size << " elements";
      EXPECT_EQ(state, expected_state) << size << " elements";
    }
    EXPECT_EQ(parameters, naive::numbers(size, 1)) << "the old version must stay";
  }
}

TEST_P(EachKernel, WorksInPlace) {
  Floats parameters = naive::numbers(1000, 1), expected = parameters;
  const Floats gradients = naive::numbers(1000, 2);
  State state = state_of(GetParam(), 1000), expected_state = state;
  GetParam().naive(expected, gradients, expected_state);
  GetParam().cpu(parameters, gradients, state, parameters);
  EXPECT_EQ(parameters, expected);
  EXPECT_EQ(state, expected_state);
}

TEST_P(EachKernel, WorksInTheMemoryOfTheSum) {
  const Floats parameters = naive::numbers(1000, 1);
  Floats expected = parameters, gradients = naive::numbers(1000, 2);
  State state = state_of(GetParam(), 1000), expected_state = state;
  GetParam().naive(expected, gradients, expected_state);
  GetParam().cpu(parameters, gradients, state, gradients);
  EXPECT_EQ(gradients, expected);
  EXPECT_EQ(state, expected_state);
}

TEST_P(EachKernel, HidesNoNaN) {
  const Floats parameters{1, 2, 3};
  const Floats gradients{1, std::nanf(""), 1};
  State state = state_of(GetParam(), 3);
  Floats updated(3);
  GetParam().cpu(parameters, gradients, state, updated);
  EXPECT_TRUE(std::isfinite(updated[0]) && std::isnan(updated[1]) && std::isfinite(updated[2]));
}

TEST(Squares, AreThoseOfTheGradient) {
  for (const std::size_t size : sizes) {
    const Floats sum = naive::numbers(size, 2);
    double expected = 0;
    for (const float one : sum) expected += std::pow(naive::gradient_of(adam_step.gradient, one), 2);
    EXPECT_NEAR(cpu::sum_of_squares(adam_step.gradient, sum), expected, 1e-12 * expected) << size << " elements";
  }
  EXPECT_TRUE(std::isnan(cpu::sum_of_squares({}, Floats{1, std::nanf(""), 1})));
}

// The order in which a norm is summed decides its last bits, and with them those of all parameters.
TEST(Squares, AreAddedInAFixedOrder) {
  const Floats sum = naive::numbers(4096 + 5, 2);
  std::array<double, 8> partial{};
  for (std::size_t i = 0; i < sum.size(); ++i) partial[i % 8] += static_cast<double>(sum[i]) * sum[i];
  double expected = 0;
  for (const double one : partial) expected += one;
  EXPECT_EQ(cpu::sum_of_squares({}, sum), expected);
}

TEST(NoCuda, SaysWhichImageHasCuda) {
  if (!cuda::toolkit_version().empty()) GTEST_SKIP() << "this build has CUDA";
  EXPECT_EQ(cuda::device_count(), 0);
  try {
    cuda::Buffer buffer(1);
    FAIL() << "a Buffer was made without CUDA";
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::user);
    EXPECT_STREQ(error.what(), "this carrack-trainer was built without CUDA; use the image carrack/trainer-cuda");
  }
}

}  // namespace
}  // namespace carrack::train
