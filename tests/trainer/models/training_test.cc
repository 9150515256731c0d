// Training in one process, out of the parts that workers and parameter servers use: lanes, the tree, ranges, optimizer.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/trainer/kernels/naive.h"
#include "tests/trainer/models/specs.h"
#include "trainer/execution/executor.h"
#include "trainer/kernels/lanes.h"
#include "trainer/models/model.h"
#include "trainer/optimizer/optimizer.h"

namespace carrack::train {
namespace {

constexpr int lanes = 8;

struct Records {
  std::vector<float> x, y;
  std::vector<std::int64_t> index;
};

// A part of one feature's values, `width` for each record.
template <typename T>
FeatureValues part(const std::vector<T>& all, Range records, std::int64_t width) {
  return std::span(all).subspan(static_cast<std::size_t>(records.begin * width),
                                static_cast<std::size_t>(records.size() * width));
}

struct Trainer {
  Trainer(ModelGraph model, const Optimizer& by, int servers_wanted)
      : made(std::move(model)),
        placed(layout_of(made)),
        optimizer(by),
        servers(ranges_by_server(placed, servers_wanted)) {
    parameters.resize(static_cast<std::size_t>(placed.size()));
    state.resize(state_names(by).size(), std::vector<float>(parameters.size(), initial_state(by)));
    initialize(made, 7, {0, placed.size()}, parameters);
  }

  std::vector<FeatureValues> inputs_of(const Records& records, Range range) const {
    if (made.features.size() == 1) return {part(records.index, range, 1)};
    return {part(records.x, range, made.features[0].size), part(records.y, range, 1)};
  }

  // One update by `workers` workers, each with an equal part of the lanes.
  void step(const Records& records, Range batch, int workers) {
    std::vector<std::vector<float>> of_lanes(lanes);
    for (int worker = workers - 1; worker >= 0; --worker) {
      const Range own = equal_part(lanes, workers, worker);
      Executor executor(gradients(made.graph, *made.loss), placed, batch.size());
      for (std::int64_t lane = own.begin; lane < own.end; ++lane) {
        Range rows = equal_part(batch.size(), lanes, lane);
        rows = {batch.begin + rows.begin, batch.begin + rows.end};
        std::vector<float>& sum = of_lanes[static_cast<std::size_t>(lane)];
        sum.assign(parameters.size(), std::numeric_limits<float>::quiet_NaN());
        executor.run(parameters, inputs_of(records, rows), rows.size(), sum);
      }
    }
    const std::vector<float> total = naive::tree_total(of_lanes);
    ++steps;
    const double divisor = mean ? static_cast<double>(batch.size()) : 1;
    for (const Range& range : servers) apply_range(range, total, divisor);
  }

  void apply_range(Range range, std::span<const float> sum, double divisor) {
    const auto begin = static_cast<std::size_t>(range.begin), size = static_cast<std::size_t>(range.size());
    const std::span<float> own = std::span(parameters).subspan(begin, size);
    Update update{own, sum.subspan(begin, size), {.factor = static_cast<float>(1 / divisor)}, steps, {}, own};
    for (std::vector<float>& values : state) update.state.push_back(std::span(values).subspan(begin, size));
    train::apply(optimizer, update);
  }

  void run(const Records& records, std::int64_t count, std::int64_t batch, int epochs, int workers) {
    for (int epoch = 0; epoch < epochs; ++epoch) {
      for (std::int64_t at = 0; at < count; at += batch) step(records, {at, std::min(at + batch, count)}, workers);
    }
  }

  ModelGraph made;
  Layout placed;
  Optimizer optimizer;
  std::vector<Range> servers;
  std::vector<float> parameters;
  std::vector<std::vector<float>> state;
  std::int64_t steps = 0;
  bool mean = true;
};

// y = 3 x + 2
Records line(std::size_t count) {
  Records records;
  for (const float number : naive::numbers(count, 11)) {
    records.x.push_back(number / 16384);
    records.y.push_back(3 * records.x.back() + 2);
  }
  return records;
}

TEST(TrainingALine, FindsItWithSgd) {
  Trainer training(linear_regression(1), Sgd{0.1}, 1);
  training.run(line(1000), 1000, 32, 50, 1);
  EXPECT_NEAR(training.parameters[0], 3, 1e-3);
  EXPECT_NEAR(training.parameters[1], 2, 1e-3);
}

TEST(TrainingALine, FindsItWithAdam) {
  Trainer training(linear_regression(1), Adam{.learning_rate = 0.05}, 2);
  training.run(line(1000), 1000, 32, 50, 1);
  EXPECT_NEAR(training.parameters[0], 3, 1e-3);
  EXPECT_NEAR(training.parameters[1], 2, 1e-3);
}

TEST(TrainingInLanes, GivesTheSameBitsForAnyNumberOfWorkersAndServers) {
  constexpr std::int64_t features = 9000, count = 45;
  Records records{naive::numbers(features * count, 21), naive::numbers(count, 22), {}};
  for (float& value : records.x) value /= 16384;
  for (const Optimizer& optimizer : {Optimizer(Sgd{1e-4}), Optimizer(Adam{})}) {
    Trainer expected(linear_regression(features), optimizer, 1);
    expected.run(records, count, 20, 3, 1);  // The last batch of an epoch has 5 records, so that lanes are empty.
    for (const int workers : {2, 3, 5, 8}) {
      for (const int servers : {1, 2, 4}) {
        Trainer training(linear_regression(features), optimizer, servers);
        training.run(records, count, 20, 3, workers);
        ASSERT_EQ(training.parameters, expected.parameters) << workers << " workers, " << servers << " servers";
        ASSERT_EQ(training.state, expected.state);
      }
    }
  }
}

TEST(TrainingATally, HoldsTheEpochsEverywhere) {
  constexpr std::int64_t count = 5000;
  Records records;
  for (std::int64_t i = 0; i < count; ++i)
    records.index.push_back((i * 7919) % count);  // 7919 is prime: each comes once.
  Trainer training(tally(count), Sgd{1}, 2);
  training.mean = false;
  training.run(records, count, 96, 3, 3);
  EXPECT_EQ(training.parameters, std::vector<float>(count, 3));
}

}  // namespace
}  // namespace carrack::train
