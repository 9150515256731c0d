#include "trainer/optimizer/update_parts.h"

#include <gtest/gtest.h>

#include "tests/trainer/kernels/naive.h"
#include "trainer/optimizer/optimizer.h"

namespace carrack::train {
namespace {

// Five blocks: 0 to 4,000, 4,000 to 8,000, 8,000 to 10,000; the biases one each.
Layout some_layout() {
  return Layout({{"a/kernel", {10, 1000}}, {"a/bias", {5}}, {"b/bias", {7}}, {"b/kernel", {3, 3}}});
}

const std::vector<TensorGroup> some_groups{{.tensors = {"*/bias"}, .rate_scale = 2, .weight_decay = 0},
                                           {.tensors = {"b/*"}, .frozen = true}};

TEST(UpdateParts, AreOneWithoutGroups) {
  const Layout layout = some_layout();
  EXPECT_EQ(update_parts({}, layout, {0, layout.size()}), (std::vector<UpdatePart>{{{0, layout.size()}}}));
}

TEST(UpdateParts, JoinNeighboursWithTheSameSettings) {
  EXPECT_EQ(update_parts(some_groups, some_layout(), {4000, 10'021}),
            (std::vector<UpdatePart>{{{0, 6000}}, {{6000, 6012}, 2, 0.0}, {{6012, 6021}, 0, {}}}));
}

TEST(UpdateParts, LeaveOutFixedTensorsWhateverTheirGroup) {
  const Layout layout({{"a/kernel", {10}}, {"a/mean", {4}, 0}, {"b/mean", {4}, 0}, {"b/bias", {7}}});
  EXPECT_EQ(update_parts({}, layout, {0, 25}), (std::vector<UpdatePart>{{{0, 10}}, {{10, 18}, 0}, {{18, 25}}}));
  const std::vector<TensorGroup> all{{.tensors = {"*"}, .rate_scale = 2, .weight_decay = 0.5}};
  EXPECT_EQ(update_parts(all, layout, {10, 25}), (std::vector<UpdatePart>{{{0, 8}, 0}, {{8, 15}, 2, 0.5}}));
}

TEST(UpdateParts, MoveAveragesByTheirOwnRateUnlessTheyAreFrozen) {
  const Layout layout({{"a/kernel", {10}}, {"a/mean", {4}, 0.1}, {"b/mean", {4}, 0.1}, {"c/mean", {4}, 0.2}});
  EXPECT_EQ(update_parts({}, layout, {0, 22}),
            (std::vector<UpdatePart>{{{0, 10}}, {{10, 18}, 1, {}, 0.1}, {{18, 22}, 1, {}, 0.2}}));
  const std::vector<TensorGroup> groups{{.tensors = {"a/*"}, .rate_scale = 2, .weight_decay = 0.5},
                                        {.tensors = {"b/*"}, .frozen = true}};
  EXPECT_EQ(
      update_parts(groups, layout, {4, 22}),
      (std::vector<UpdatePart>{{{0, 6}, 2, 0.5}, {{6, 10}, 1, {}, 0.1}, {{10, 14}, 0, {}}, {{14, 18}, 1, {}, 0.2}}));
}

// All that a job's servers hold, and the update of one step.
struct Buffers {
  explicit Buffers(const Optimizer& optimizer)
      : parameters(naive::numbers(size, 1)), state(state_names(optimizer).size(), naive::positive_numbers(size, 2)) {}

  void step(const Training& training, std::int64_t number, const std::vector<Range>& ranges) {
    const std::vector<float> sum = naive::numbers(size, static_cast<std::uint32_t>(10 + number));
    for (const Range range : ranges) {
      const auto part = [&](auto&& values) {
        return std::span(values).subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size()));
      };
      Update update{
          .parameters = part(parameters), .gradient_sum = part(sum), .step = number, .updated = part(parameters)};
      for (std::vector<float>& values : state) update.state.push_back(part(values));
      train::apply(training, update_parts(training.groups, some_layout(), range), 3, update);
    }
  }

  static constexpr std::size_t size = 10'021;
  std::vector<float> parameters;
  std::vector<std::vector<float>> state;
};

class EachOptimizer : public testing::TestWithParam<Optimizer> {};

INSTANTIATE_TEST_SUITE_P(UpdateParts, EachOptimizer,
                         testing::Values(Sgd{}, Sgd{.momentum = 0.9}, Adam{}, AdamW{}, Adagrad{}, RmsProp{}));

TEST_P(EachOptimizer, GivesTheSameBitsForAnyNumberOfServers) {
  Training training{.optimizer = GetParam(), .groups = some_groups};
  for (const int servers : {2, 3, 5}) {
    Buffers one(GetParam()), many(GetParam());
    for (std::int64_t step = 1; step <= 3; ++step) {
      one.step(training, step, {{0, static_cast<std::int64_t>(Buffers::size)}});
      many.step(training, step, ranges_by_server(some_layout(), servers));
    }
    EXPECT_EQ(one.parameters, many.parameters) << servers << " servers";
    EXPECT_EQ(one.state, many.state) << servers << " servers";
  }
}

TEST_P(EachOptimizer, GivesEachTensorItsSettings) {
  const auto after = [](Training training) {
    Buffers buffers(training.optimizer);
    for (std::int64_t step = 1; step <= 3; ++step) buffers.step(training, step, ranges_by_server(some_layout(), 2));
    return buffers;
  };
  const auto of_tensor = [](const Buffers& buffers, const char* name) {
    const Range range = some_layout().tensor(name).range;
    return std::vector<float>(buffers.parameters.begin() + range.begin, buffers.parameters.begin() + range.end);
  };
  Training training{.optimizer = GetParam()};
  const Buffers before(GetParam()), plain = after(training);
  std::visit([](auto& rule) { rule.learning_rate *= 2; }, training.optimizer);
  if (auto* adamw = std::get_if<AdamW>(&training.optimizer)) adamw->weight_decay = 0;
  const Buffers doubled = after(training);
  const Buffers grouped = after({.optimizer = GetParam(), .groups = some_groups});
  EXPECT_EQ(of_tensor(grouped, "a/kernel"), of_tensor(plain, "a/kernel"));
  EXPECT_EQ(of_tensor(grouped, "a/bias"), of_tensor(doubled, "a/bias"));
  EXPECT_EQ(of_tensor(grouped, "b/bias"), of_tensor(doubled, "b/bias")) << "the first group that matches decides";
  EXPECT_EQ(of_tensor(grouped, "b/kernel"), of_tensor(before, "b/kernel")) << "it is frozen";
  EXPECT_NE(of_tensor(plain, "b/kernel"), of_tensor(before, "b/kernel"));
  const Range frozen = some_layout().tensor("b/kernel").range;
  for (std::size_t i = 0; i < grouped.state.size(); ++i) {
    EXPECT_TRUE(std::equal(grouped.state[i].begin() + frozen.begin, grouped.state[i].end(),
                           before.state[i].begin() + frozen.begin));
  }
}

}  // namespace
}  // namespace carrack::train
