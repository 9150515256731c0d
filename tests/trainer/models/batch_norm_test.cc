// Layers that normalize over the records of a batch: what their graphs compute in training and in inference.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/trainer/models/run_network.h"
#include "trainer/models/check.h"

namespace carrack::train {
namespace {

Layer batch_norm(std::vector<std::string> inputs, double epsilon, double momentum) {
  Layer layer = of_kind("BatchNorm", std::move(inputs));
  layer.set("epsilon", epsilon);
  layer.set("momentum", momentum);
  return layer;
}

const Layers normalizing{{batch_norm({"steps"}, 0.5, 0.75)}, {LossKind::mse, "steps"}};
// Of moving mean and variance, gamma and beta.
const std::vector<float> parameters{0.5f, 1, 2, 4, 5, 6, 1, 2, 3, -1, 0, 1};
// Three records of two time steps.
const std::vector<float> steps{1, 2, 3, -1, 0, 4, 3, 3, 3, 5, 7, 9, 0, 2, 1, 8, 4, 2};

// The loss of records whose rows, of 3 values each, are in `rows`.
double loss_of(Range rows, const std::array<double, 3>& mean, const std::array<double, 3>& variance) {
  double loss = 0;
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    for (std::size_t i = 0; i < 3; ++i) {
      const double x = steps[static_cast<std::size_t>(row) * 3 + i];
      const double output = (x - mean[i]) / std::sqrt(variance[i] + 0.5) * parameters[6 + i] + parameters[9 + i];
      loss += std::pow(output - x, 2) / 6;
    }
  }
  return loss;
}

TEST(BatchNorm, HasAveragesThatMoveBesideItsTrainedValues) {
  EXPECT_EQ(problems_in(normalizing, data), std::vector<ModelProblem>());
  const ModelGraph model = build(normalizing, data);
  ASSERT_EQ(model.parameters.size(), 4u);
  const char* const names[] = {"batchnorm/moving_mean", "batchnorm/moving_variance", "batchnorm/gamma",
                               "batchnorm/beta"};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(model.parameters[i].name, names[i]);
    EXPECT_EQ(model.parameters[i].shape, (Shape{3}));
    EXPECT_EQ(model.parameters[i].initial, (InitialValues{InitialValues::Kind::constant, i == 1 || i == 2 ? 1.0f : 0}));
    const auto rate = i < 2 ? std::optional(0.25) : std::nullopt;
    EXPECT_EQ(model.parameters[i].own_rate, rate);
    EXPECT_EQ(layout_of(model).tensor(names[i]).own_rate, rate);
  }
  Layer bare = normalizing.layers[0];
  bare.set("center", false);
  bare.set("scale", false);
  EXPECT_EQ(problems_in(Layers{{bare}, normalizing.loss}, data),
            (std::vector<ModelProblem>{{"spec.model.layers", "have nothing to train; add a Dense layer"}}));
}

TEST(BatchNorm, NormalizesTheTimeStepsOfALane) {
  const ModelGraph model = build(normalizing, data);
  Executor executor(gradients(model.graph, *model.loss), layout_of(model), 3);
  const std::vector<std::int64_t> lanes{1, 3};
  double loss = 0;
  std::array<double, 3> sum_of_means{}, sum_of_variances{};
  for (const Range rows : {Range{0, 2}, Range{2, 6}}) {
    const auto count = static_cast<double>(rows.size());
    std::array<double, 3> mean{}, variance{};
    for (std::int64_t i = 3 * rows.begin; i < 3 * rows.end; ++i) {
      mean[static_cast<std::size_t>(i % 3)] += steps[static_cast<std::size_t>(i)] / count;
    }
    for (std::int64_t i = 3 * rows.begin; i < 3 * rows.end; ++i) {
      const auto column = static_cast<std::size_t>(i % 3);
      variance[column] += std::pow(steps[static_cast<std::size_t>(i)] - mean[column], 2) / count;
    }
    loss += loss_of(rows, mean, variance);
    for (std::size_t i = 0; i < 3; ++i) {
      sum_of_means[i] += mean[i] * count / 2;
      sum_of_variances[i] += variance[i] * count / 2;
    }
  }
  std::vector<float> gradient(parameters.size());
  const std::vector<FeatureValues> inputs{std::span<const float>(steps)};
  EXPECT_NEAR(executor.run(parameters, inputs, 3, gradient, {lanes, {}}), loss, 1e-5 * loss);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(gradient[i], sum_of_means[i], 1e-5) << "times the records, of which there are three";
    EXPECT_NEAR(gradient[3 + i], sum_of_variances[i], 1e-5);
  }
}

TEST(BatchNorm, GoesByTheMovingAveragesOnceTrained) {
  const InferenceGraph graph = inference(normalizing, data, Losses::computed);
  const std::vector<ValueId> wanted{*graph.record_losses};
  Executor executor(graph.graph, wanted, layout_of(build(normalizing, data)), 3);
  executor.evaluate(parameters, std::vector<FeatureValues>{std::span<const float>(steps)}, 3);
  for (std::int64_t record = 0; record < 3; ++record) {
    const double loss = loss_of({2 * record, 2 * record + 2}, {0.5, 1, 2}, {4, 5, 6});
    EXPECT_NEAR(executor.elements(wanted[0])[static_cast<std::size_t>(record)], loss, 1e-5 * loss);
  }
}

Config with_lanes(Layers network, std::int64_t batch, int lanes) {
  Config config;
  config.ps = {1, 1};
  config.model = std::move(network);
  config.data = data;
  config.training.batch = batch;
  config.training.lanes = lanes;
  config.training.deterministic = true;
  return config;
}

TEST(BatchNorm, RefusesLanesOfOneRecord) {
  const Layers rows{{batch_norm({"x"}, 0.1, 0.9), dense(2)}, mse};
  EXPECT_EQ(problems_in(with_lanes(rows, 16, 8)), std::vector<ModelProblem>());
  EXPECT_EQ(problems_in(with_lanes(rows, 15, 8)),
            (std::vector<ModelProblem>{{"spec.training.lanes",
                                        "is 8, so lanes of a batch of 15 have one record, and BatchNorm needs two or "
                                        "more; set fewer lanes, or a larger batch"}}));
  EXPECT_EQ(problems_in(with_lanes(normalizing, 8, 8)), std::vector<ModelProblem>()) << "it has time steps";
  EXPECT_EQ(problems_in(with_lanes({{dense(2, {"x"})}, mse}, 8, 8)), std::vector<ModelProblem>());
  Config config = with_lanes(rows, 8, 8);
  config.training.deterministic = false;
  EXPECT_EQ(problems_in(config), std::vector<ModelProblem>()) << "lanes are of no importance";
}

TEST(BatchNorm, RefusesSharesOfOneRecord) {
  Config config = with_lanes({{batch_norm({"x"}, 0.1, 0.9), dense(2)}, mse}, 8, 8);
  config.training.deterministic = false;
  config.workers = {1, 4};
  EXPECT_EQ(problems_in(config), std::vector<ModelProblem>());
  config.workers = {1, 5};
  EXPECT_EQ(problems_in(config),
            (std::vector<ModelProblem>{{"spec.training.batch",
                                        "is 8, so each of up to 5 workers has less than two records of it, and "
                                        "BatchNorm needs two or more; set a larger batch, or fewer workers"}}));
  config.training.consistency = Consistency::async;
  EXPECT_EQ(problems_in(config), std::vector<ModelProblem>()) << "a worker computes a whole batch";
  config.worker_gpus = 8;
  EXPECT_EQ(problems_in(config),
            (std::vector<ModelProblem>{{"spec.training.batch",
                                        "is 8, so each of up to 8 GPUs has less than two records of it, and BatchNorm "
                                        "needs two or more; set a larger batch, or fewer workers or GPUs"}}));
}

}  // namespace
}  // namespace carrack::train
