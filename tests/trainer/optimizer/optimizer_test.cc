#include "trainer/optimizer/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <tuple>

#include "tests/trainer/kernels/naive.h"
#include "trainer/error.h"
#include "trainer/kernels/thread_pool.h"
#include "trainer/launch/state_names.h"

namespace carrack::train {
namespace {

constexpr std::size_t size = 1003;

// What a server holds of one range: parameters, the state, and how to step.
struct Server {
  Server(const Optimizer& by, std::size_t begin, std::size_t end)
      : optimizer(by), first(begin), parameters(part(naive::numbers(size, 1), begin, end)) {
    state.resize(state_names(by).size(), std::vector<float>(end - begin, initial_state(by)));
  }

  static std::vector<float> part(const std::vector<float>& all, std::size_t begin, std::size_t end) {
    return {all.begin() + static_cast<std::ptrdiff_t>(begin), all.begin() + static_cast<std::ptrdiff_t>(end)};
  }

  void step(std::int64_t number, double divisor) {
    const std::vector<float> sum = naive::numbers(size, static_cast<std::uint32_t>(100 + number));
    const std::vector<float> own = part(sum, first, first + parameters.size());
    std::vector<float> updated(parameters.size());
    train::apply(
        optimizer,
        {parameters, own, {.factor = static_cast<float>(1 / divisor)}, number, {state.begin(), state.end()}, updated});
    parameters = updated;
  }

  Optimizer optimizer;
  std::size_t first;
  std::vector<float> parameters;
  std::vector<std::vector<float>> state;
};

class EachOptimizer : public testing::TestWithParam<Optimizer> {};

INSTANTIATE_TEST_SUITE_P(Sgd, EachOptimizer, testing::Values(Sgd{0.1}));
INSTANTIATE_TEST_SUITE_P(Momentum, EachOptimizer, testing::Values(Sgd{.learning_rate = 0.1, .momentum = 0.9}));
INSTANTIATE_TEST_SUITE_P(Adam, EachOptimizer, testing::Values(Adam{.learning_rate = 0.01}));
INSTANTIATE_TEST_SUITE_P(AdamW, EachOptimizer, testing::Values(AdamW{.learning_rate = 0.01, .weight_decay = 0.3}));
INSTANTIATE_TEST_SUITE_P(Nesterov, EachOptimizer,
                         testing::Values(Sgd{.learning_rate = 0.1, .momentum = 0.9, .nesterov = true}));
INSTANTIATE_TEST_SUITE_P(Adagrad, EachOptimizer, testing::Values(Adagrad{.learning_rate = 0.1}));
INSTANTIATE_TEST_SUITE_P(RmsProp, EachOptimizer, testing::Values(RmsProp{.learning_rate = 0.1}));

// A checkpoint has nothing else to tell parameters and state apart.
TEST_P(EachOptimizer, IsFoundByTheNamesOfItsState) {
  for (const std::string_view state : state_names(GetParam())) {
    EXPECT_EQ(optimizer_of_state(state_tensor("w", state)), kind_of(GetParam())) << state;
  }
  EXPECT_EQ(optimizer_of_state("adam/Adam"), std::nullopt);
}

TEST_P(EachOptimizer, GivesTheSameBitsHoweverTheBufferIsCut) {
  Server whole(GetParam(), 0, size);
  std::vector<Server> parts;
  for (const auto& [begin, end] : {std::pair{0, 1}, {1, 18}, {18, 700}, {700, 1003}}) {
    parts.emplace_back(GetParam(), static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
  }
  for (std::int64_t step = 1; step <= 20; ++step) {
    whole.step(step, 7);
    for (Server& server : parts) {
      server.step(step, 7);
      const std::vector<float> same =
          Server::part(whole.parameters, server.first, server.first + server.parameters.size());
      ASSERT_EQ(server.parameters, same) << "step " << step;
    }
  }
}

TEST_P(EachOptimizer, DividesTheSum) {
  Server sums(GetParam(), 0, size), means(GetParam(), 0, size);
  std::vector<float> sum = naive::numbers(size, 5), mean = sum, a(size), b(size);
  for (float& value : mean) value *= 1.0f / 3;
  train::apply(sums.optimizer,
               {sums.parameters, sum, {.factor = 1.0f / 3}, 1, {sums.state.begin(), sums.state.end()}, a});
  train::apply(means.optimizer, {means.parameters, mean, {}, 1, {means.state.begin(), means.state.end()}, b});
  EXPECT_EQ(a, b);
  EXPECT_EQ(sums.state, means.state);
}

TEST(SgdRule, WithRateOneSubtractsTheSum) {
  const std::vector<float> parameters{5, 0}, sum{-1, 0};
  std::vector<float> updated(2);
  train::apply(Sgd{1}, {.parameters = parameters, .gradient_sum = sum, .updated = updated});
  EXPECT_EQ(updated, (std::vector<float>{6, 0}));
}

// With constant gradients both corrected moments are exact, so that each step is `rate` towards minus the sign.
TEST(AdamRule, StepsByItsRateWhileGradientsStayTheSame) {
  std::vector<float> parameters{1, 1}, m(2), v(2);
  const std::vector<float> gradients{3, -0.01f};
  for (std::int64_t step = 1; step <= 10; ++step) {
    train::apply(Adam{.learning_rate = 0.01, .epsilon = 1e-12},
                 {parameters, gradients, {}, step, {std::span(m), std::span(v)}, parameters});
    EXPECT_NEAR(parameters[0], 1 - 0.01 * static_cast<double>(step), 1e-6);
    EXPECT_NEAR(parameters[1], 1 + 0.01 * static_cast<double>(step), 1e-6);
  }
}

// With a constant gradient the velocity is the sum of a geometric series.
TEST(SgdRule, WithMomentumGoesOnAsItWent) {
  std::vector<float> parameters{0}, velocity{0};
  const std::vector<float> gradient{1};
  double expected = 0, series = 0;
  for (std::int64_t step = 1; step <= 5; ++step) {
    train::apply(Sgd{.learning_rate = 1, .momentum = 0.5},
                 {parameters, gradient, {}, step, {std::span(velocity)}, parameters});
    series = series / 2 + 1;
    expected -= series;
    EXPECT_FLOAT_EQ(parameters[0], static_cast<float>(expected)) << "step " << step;
  }
}

TEST(SgdRule, WithNesterovGoesAMomentumFurther) {
  std::vector<float> parameters{0}, velocity{0};
  const std::vector<float> gradient{1};
  for (const float expected : {-1.5f, -3.25f}) {
    train::apply(Sgd{.learning_rate = 1, .momentum = 0.5, .nesterov = true},
                 {parameters, gradient, {}, 1, {std::span(velocity)}, parameters});
    EXPECT_FLOAT_EQ(parameters[0], expected);
  }
}

// After a gradient of 2 and one of 0, m is 0.5 and v is 0.75.
TEST(AdamRule, ForgetsByItsBetas) {
  std::vector<float> parameters{0}, m(1), v(1);
  const Adam adam{.learning_rate = 1, .beta1 = 0.5, .beta2 = 0.75, .epsilon = 1e-12};
  for (const std::int64_t step : {1, 2}) {
    const std::vector<float> gradient{step == 1 ? 2.0f : 0.0f};
    train::apply(adam, {parameters, gradient, {}, step, {std::span(m), std::span(v)}, parameters});
  }
  EXPECT_FLOAT_EQ(m[0], 0.5f);
  EXPECT_FLOAT_EQ(v[0], 0.75f);
  EXPECT_NEAR(parameters[0], -1 - 0.5 / 0.75 / std::sqrt(0.75 / 0.4375), 1e-6);
}

TEST(AdamRule, StepsLessWithALargerEpsilon) {
  const std::vector<float> parameters{0}, gradient{1};
  std::vector<float> m(1), v(1), updated(1);
  train::apply(Adam{.learning_rate = 1, .epsilon = 1},
               {parameters, gradient, {}, 1, {std::span(m), std::span(v)}, updated});
  EXPECT_GT(updated[0], -0.6f);
  EXPECT_LT(updated[0], 0.0f);
}

TEST(RmsPropRule, DividesByTheRootOfWhatItKeeps) {
  const std::vector<float> gradient{4};
  for (const auto& [epsilon, first, second] :
       {std::tuple{1e-30, 2.0, 4 / std::sqrt(7.0)}, {12.0, 1.0, 4 / std::sqrt(19.0)}}) {
    std::vector<float> parameters{0}, v(1);
    const RmsProp rule{.learning_rate = 1, .rho = 0.75, .epsilon = epsilon};
    train::apply(rule, {parameters, gradient, {}, 1, {std::span(v)}, parameters});
    EXPECT_FLOAT_EQ(v[0], 4);
    EXPECT_FLOAT_EQ(parameters[0], static_cast<float>(-first));
    train::apply(rule, {parameters, gradient, {}, 2, {std::span(v)}, parameters});
    EXPECT_FLOAT_EQ(parameters[0], static_cast<float>(-first - second));
  }
}

TEST(AdamWRule, DecaysByTheRateAlone) {
  const std::vector<float> parameters{8, -2}, no_gradient{0, 0};
  std::vector<float> m(2), v(2), updated(2);
  const AdamW adamw{.learning_rate = 0.5, .weight_decay = 0.25};
  train::apply(adamw, {parameters, no_gradient, {}, 1, {std::span(m), std::span(v)}, updated});
  EXPECT_EQ(updated, (std::vector<float>{7, -1.75}));
}

TEST(AdamWRule, WithoutDecayIsAdam) {
  Server adam(Adam{.learning_rate = 0.01}, 0, size), adamw(AdamW{.learning_rate = 0.01, .weight_decay = 0}, 0, size);
  for (std::int64_t step = 1; step <= 3; ++step) adam.step(step, 7), adamw.step(step, 7);
  EXPECT_EQ(adam.parameters, adamw.parameters);
}

TEST(AdagradRule, BeginsWithItsInitialAccumulator) {
  const Adagrad adagrad{.learning_rate = 1, .initial_accumulator = 9, .epsilon = 1e-30};
  EXPECT_EQ(initial_state(adagrad), 9);
  std::vector<float> parameters{0}, accumulator{initial_state(adagrad)};
  const std::vector<float> gradient{4};
  train::apply(adagrad, {parameters, gradient, {}, 1, {std::span(accumulator)}, parameters});
  EXPECT_EQ(accumulator[0], 25);
  EXPECT_FLOAT_EQ(parameters[0], -0.8f);
}

TEST(State, IsZeroAtFirstButOfAdagrad) {
  EXPECT_EQ(initial_state(Sgd{.momentum = 0.9}), 0);
  EXPECT_EQ(initial_state(Adam{}), 0);
  EXPECT_EQ(initial_state(AdamW{}), 0);
  EXPECT_EQ(initial_state(Adagrad{}), 0.1f);
}

TEST(State, IsNamedForCheckpoints) {
  EXPECT_TRUE(state_names(Sgd{1}).empty());
  ASSERT_EQ(state_names(Sgd{.momentum = 0.1}).size(), 1u);
  EXPECT_EQ(state_tensor("w", state_names(Sgd{.momentum = 0.1})[0]), "w/SGD/momentum");
  ASSERT_EQ(state_names(AdamW{}).size(), 2u);
  EXPECT_EQ(state_tensor("w", state_names(AdamW{})[1]), "w/AdamW/v");
  ASSERT_EQ(state_names(Adagrad{}).size(), 1u);
  EXPECT_EQ(state_tensor("w", state_names(Adagrad{})[0]), "w/Adagrad/accumulator");
  ASSERT_EQ(state_names(Adam{}).size(), 2u);
  EXPECT_EQ(state_tensor("w", state_names(Adam{})[0]), "w/Adam/m");
  EXPECT_EQ(state_tensor("w", state_names(Adam{})[1]), "w/Adam/v");
  // By which own models know the names that they must not use.
  for (const Optimizer& optimizer : {Optimizer(Sgd{.momentum = 0.1}), Optimizer(Adam{}), Optimizer(AdamW{}),
                                     Optimizer(Adagrad{}), Optimizer(RmsProp{})}) {
    for (const std::string_view state : state_names(optimizer)) {
      EXPECT_TRUE(state.starts_with(std::string(spelled(kind_of(optimizer))) + "/")) << state;
    }
  }
}

void expect_bug(const char* text, const std::function<void()>& act) {
  try {
    act();
    FAIL() << "expected: " << text;
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::bug);
    EXPECT_STREQ(error.what(), text);
  }
}

TEST(Apply, RefusesWhatDoesNotBelongTogether) {
  std::vector<float> two(2), three(3);
  const char* sizes = "apply: parameters, gradients and state have different sizes";
  expect_bug(sizes, [&] { train::apply(Sgd{1}, {.parameters = two, .gradient_sum = three, .updated = two}); });
  expect_bug(sizes, [&] { train::apply(Sgd{1}, {.parameters = two, .gradient_sum = two, .updated = three}); });
  expect_bug(sizes, [&] { train::apply(Adam{}, {.parameters = two, .gradient_sum = two, .updated = two}); });
  expect_bug(sizes, [&] { train::apply(Adam{}, {two, two, {}, 1, {std::span(two), std::span(three)}, two}); });
  expect_bug("apply: the step is below one", [&] { train::apply(Sgd{1}, {two, two, {}, 0, {}, two}); });
}

TEST(Apply, LeavesTheStateBeforeTheUpdateAsItIsIfTheStateAfterItIsInOtherMemory) {
  constexpr std::size_t many = 100'003;  // several parts
  cpu::ThreadPool threads(3);
  for (const Optimizer& optimizer :
       std::vector<Optimizer>{Sgd{.momentum = 0.9}, Adam{}, AdamW{}, Adagrad{}, RmsProp{}}) {
    const std::vector<float> parameters = naive::numbers(many, 1), sum = naive::numbers(many, 2);
    const std::vector<std::vector<float>> before(state_names(optimizer).size(), naive::positive_numbers(many, 3));
    std::vector<std::vector<float>> in_place = before, read = before;
    std::vector<std::vector<float>> written(before.size(), std::vector<float>(many, 7));
    std::vector<float> one(many), other(many);
    Update update{.parameters = parameters, .gradient_sum = sum, .updated = one, .threads = &threads};
    update.state = {in_place.begin(), in_place.end()};
    train::apply(optimizer, update);
    update.updated = other;
    update.state.clear();
    for (std::size_t i = 0; i < read.size(); ++i)
      update.state.emplace_back(std::span(std::as_const(read[i])), written[i]);
    train::apply(optimizer, update);
    EXPECT_EQ(read, before);
    EXPECT_EQ(written, in_place);
    EXPECT_EQ(other, one);
  }
}

TEST(StepUpdate, CopiesTheStateOfFrozenElementsToItsNewMemory) {
  const std::vector<float> parameters{1, 2}, sum{1, 1}, before{3, 4};
  std::vector<float> after(2), updated(2);
  Update update{.parameters = parameters, .gradient_sum = sum, .updated = updated};
  update.state.emplace_back(std::span(before), std::span(after));
  const std::vector<UpdatePart> parts{{.range = {0, 2}, .rate_scale = 0}};
  train::apply(Training{.optimizer = Adagrad{}}, parts, 1, update);
  EXPECT_EQ(after, before);
  EXPECT_EQ(updated, parameters);
}

// Whatever the optimizer, its schedule, clipping and the reduction.
TEST(StepUpdate, MovesAveragesToTheMeanOfTheRecords) {
  const std::vector<float> parameters{1, 2}, sum{12, -4}, before{3, 4};
  const std::vector<UpdatePart> parts{{.range = {0, 1}, .own_rate = 0.25}, {.range = {1, 2}, .own_rate = 0.5}};
  const auto updated_by = [&](Training training, std::uint64_t records) {
    std::vector<float> after(2), updated(2);
    training.schedule = {ScheduleKind::linear, 12, 0, 4};
    training.clip = Clip{.value = 0.01, .norm = 0.01};
    Update update{.parameters = parameters, .gradient_sum = sum, .gradient = {.scale = 0.1f}, .updated = updated};
    for (std::size_t i = 0; i < state_names(training.optimizer).size(); ++i) {
      update.state.emplace_back(std::span(before), std::span(after));
    }
    train::apply(training, parts, records, update);
    if (!update.state.empty()) {
      EXPECT_EQ(after, before);
    }
    return updated;
  };
  for (const Optimizer& optimizer : {Optimizer(Sgd{}), Optimizer(Adam{}), Optimizer(AdamW{})}) {
    for (const Reduction reduction : {Reduction::mean, Reduction::sum}) {
      const Training training{.optimizer = optimizer, .reduction = reduction};
      EXPECT_EQ(updated_by(training, 4), (std::vector<float>{1.5f, 0.5f}));
      EXPECT_EQ(updated_by(training, 0), parameters) << "a step without records";
    }
  }
}

// Such as a tensor that is not trained, in a model of kind Own. 0.25 - 1e8 is rounded to -1e8.
TEST(StepUpdate, SetsAveragesOfRateOneToTheMeanWhateverTheyWere) {
  const std::vector<float> parameters{1e8f, INFINITY}, sum{0.5f, 3};
  const std::vector<UpdatePart> parts{{.range = {0, 2}, .own_rate = 1.0}};
  std::vector<float> updated(2);
  train::apply(Training{.optimizer = Sgd{}}, parts, 2,
               {.parameters = parameters, .gradient_sum = sum, .updated = updated});
  EXPECT_EQ(updated, (std::vector<float>{0.25f, 1.5f}));
}

TEST(StepUpdate, FollowsTheSchedule) {
  const std::vector<float> parameters{1}, gradient_sum{1};
  const auto updated_at = [&](std::int64_t step, const Optimizer& optimizer) {
    std::vector<float> updated(1), m(1), v(1);
    Training training{.optimizer = optimizer, .reduction = Reduction::sum};
    training.schedule = {ScheduleKind::linear, 12, 0, 4};
    Update update{.parameters = parameters, .gradient_sum = gradient_sum, .step = step, .updated = updated};
    if (!state_names(optimizer).empty()) update.state = {std::span(m), std::span(v)};
    train::apply(training, {}, 1, update);
    return updated[0];
  };
  EXPECT_EQ(updated_at(1, Sgd{1}), 0.75);
  EXPECT_EQ(updated_at(4, Sgd{1}), 0);
  EXPECT_EQ(updated_at(9, Sgd{1}), 0.5);
  EXPECT_EQ(updated_at(13, Sgd{1}), 1);
  EXPECT_EQ(updated_at(13, AdamW{.learning_rate = 0.5, .weight_decay = 0.5}), 1) << "the decay follows it too";
}

TEST(StepUpdate, ClipsTheDividedSum) {
  const std::vector<float> parameters(6);
  const std::vector<float> gradient_sum{8, -8, 2, std::nanf(""), INFINITY, -0.5f};
  std::vector<float> updated(6);
  Training training{.optimizer = Sgd{1}};
  training.clip = Clip{.value = 1};
  train::apply(training, {}, 4, {.parameters = parameters, .gradient_sum = gradient_sum, .updated = updated});
  EXPECT_TRUE(std::isnan(updated[3])) << "NaN is not hidden";
  updated[3] = 0;
  EXPECT_EQ(updated, (std::vector<float>{-1, 1, -0.5f, 0, -1, 0.125f}));
}

TEST(StepUpdate, DividesByItsRecordsIfTheJobUsesTheMean) {
  const std::vector<float> parameters{1, 2}, gradient_sum{4, 8};
  const auto updated_by = [&](Reduction reduction, std::uint64_t records) {
    std::vector<float> updated(2);
    const Training training{.optimizer = Sgd{1}, .reduction = reduction};
    train::apply(training, {}, records, {.parameters = parameters, .gradient_sum = gradient_sum, .updated = updated});
    return updated;
  };
  EXPECT_EQ(updated_by(Reduction::mean, 4), (std::vector<float>{0, 0}));
  EXPECT_EQ(updated_by(Reduction::sum, 4), (std::vector<float>{-3, -6}));
  EXPECT_EQ(updated_by(Reduction::mean, 0), (std::vector<float>{-3, -6})) << "a step without records";
}

}  // namespace
}  // namespace carrack::train
