#include "trainer/evaluation/inference.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/trainer/graph/expect_error.h"
#include "tests/trainer/models/networks.h"

namespace carrack::train {
namespace {

Config config_of(Model model) {
  Config config;
  config.model = std::move(model);
  config.data = data;
  config.training.batch = 4;
  return config;
}

std::vector<std::string> names(const std::vector<Feature>& features) {
  std::vector<std::string> all;
  for (const Feature& feature : features) all.push_back(feature.name);
  return all;
}

data::NamedColumn column(std::string name, const std::vector<float>& values) {
  return {std::move(name), data::LargeVector<float>(values.begin(), values.end())};
}

std::vector<float> copy(std::span<const float> values) {
  return {values.begin(), values.end()};
}

constexpr std::uint64_t megabyte = 1'000'000;
const std::vector<float> weights{1, 0, 0, 1, 1, 1, 10, 20};  // of three inputs and two units, then biases

TEST(Inference, ComputesOutputsAndLossesAndDropsNothing) {
  Layers network{{dense(2, {"x"}), with_rate(0.9)}, mse};
  Inference inference(config_of(network), Losses::computed, megabyte, 2);
  EXPECT_EQ(names(inference.features()), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(inference.task().output, (Shape{2}));
  const data::Rows rows{.count = 2, .columns = {column("x", {1, 2, 3, 0, 0, 0}), column("y", {14, 25, 10, 24})}};
  inference.run(weights, rows);
  EXPECT_EQ(copy(inference.outputs()), (std::vector<float>{14, 25, 10, 20}));
  EXPECT_EQ(copy(inference.losses()), (std::vector<float>{0, 8}));
  EXPECT_EQ(copy(std::get<std::span<const float>>(*inference.targets())), (std::vector<float>{14, 25, 10, 24}));
}

TEST(Inference, HasTargetsAsALayerStandardizesThem) {
  const Layers network{{of_kind("Standardize", {"x"}), dense(3)}, {LossKind::mse, "standardize"}};
  Inference inference(config_of(network), Losses::computed, megabyte, 1);
  std::vector<float> parameters{1, 2, 3, 2, 4, 0.5f};
  parameters.resize(18);
  parameters[15] = 1;  // a bias
  inference.run(parameters, {.count = 2, .columns = {column("x", {1, 2, 3, 3, -2, 4})}});
  EXPECT_EQ(copy(std::get<std::span<const float>>(*inference.targets())), (std::vector<float>{0, 0, 0, 1, -1, 2}));
  EXPECT_EQ(copy(inference.outputs()), (std::vector<float>{1, 0, 0, 1, 0, 0}));
  EXPECT_FLOAT_EQ(inference.losses()[0], 1.0f / 3);
  EXPECT_FLOAT_EQ(inference.losses()[1], 5.0f / 3);
}

TEST(Inference, WithoutLossesReadsWhatLayersRead) {
  Inference inference(config_of(Layers{{dense(2, {"x"})}, mse}), Losses::left_out, megabyte, 1);
  EXPECT_EQ(names(inference.features()), (std::vector<std::string>{"x"}));
  inference.run(weights, {.count = 1, .columns = {column("x", {1, 2, 3})}});
  EXPECT_EQ(copy(inference.outputs()), (std::vector<float>{14, 25}));
  EXPECT_TRUE(inference.losses().empty());
  EXPECT_EQ(inference.targets(), std::nullopt);
}

TEST(Inference, HasTheLossOfEachModel) {
  Inference line(config_of(LinearRegression{"x", "importance"}), Losses::computed, megabyte, 1);
  line.run(std::vector<float>{1, 2, 3, 0.5f},
           {.count = 2, .columns = {column("x", {1, 1, 1, 0, 0, 0}), column("importance", {6, 2.5f})}});
  EXPECT_EQ(copy(line.outputs()), (std::vector<float>{6.5f, 0.5f}));
  EXPECT_EQ(copy(line.losses()), (std::vector<float>{0.25f, 4}));
  EXPECT_EQ(line.task().output, Shape());
  Inference classes(config_of(Layers{{dense(2, {"x"})}, {LossKind::softmax_cross_entropy, "class"}}), Losses::computed,
                    megabyte, 1);
  const data::Rows rows{.count = 1, .columns = {column("x", {1, 2, 3}), {"class", data::LargeVector<std::int64_t>{1}}}};
  classes.run(weights, rows);
  EXPECT_NEAR(classes.losses()[0], 0, 1e-4);
  EXPECT_EQ(classes.task().kind, ModelTask::Kind::classes);
}

// As in training, but for the sum over the records.
TEST(Inference, WeighsTheLossOfEachRecord) {
  Layers network{{dense(2, {"x"})}, {LossKind::mse, "y", "importance"}};
  Inference inference(config_of(network), Losses::computed, megabyte, 1);
  inference.run(weights,
                {.count = 1, .columns = {column("x", {0, 0, 0}), column("y", {10, 22}), column("importance", {3})}});
  EXPECT_EQ(copy(inference.losses()), (std::vector<float>{6}));
}

TEST(Inference, ComputesAsManyRecordsAsTheMemoryHas) {
  const Config config = config_of(Layers{{dense(1000, {"x"}), dense(2)}, mse});
  EXPECT_EQ(Inference(config, Losses::computed, 100 * megabyte, 1).rows_max(), 256);
  const Inference small(config, Losses::computed, megabyte / 10, 1);
  EXPECT_GE(small.rows_max(), 4);
  EXPECT_LT(small.rows_max(), 32);
  expect_error(Blame::user, "the model takes 8.1 kB for one record, and this process may use 1.0 kB",
               [&] { Inference(config, Losses::computed, 1'000, 1); });
}

// Of records of 4 MB, four batches are in memory at the same time with one thread, and 18 with eight.
TEST(Inference, ComputesFewLargeRecordsAtOnce) {
  Config config = config_of(LinearRegression{"wide", "importance"});
  config.data.features.push_back({"wide", FeatureType::float32, 1'000'000});
  EXPECT_EQ(Inference(config, Losses::computed, 100 * megabyte, 1).rows_max(), 4);
  EXPECT_EQ(Inference(config, Losses::computed, 100 * megabyte, 8).rows_max(), 1);
  EXPECT_EQ(Inference(config, Losses::computed, megabyte, 1).rows_max(), 1) << "a batch has at least one";
}

TEST(Inference, ChangesNoImageAtRandom) {
  Config config = config_of(Layers{{dense(1, {"picture"})}, {LossKind::mse, "importance"}});
  Image image{.height = 2, .width = 2, .channels = 1, .mirror = true};
  image.crop.kind = CropKind::random;
  config.data.features.push_back({"picture", FeatureType::float32, 4, image});
  const Inference inference(config, Losses::computed, megabyte, 1);
  EXPECT_FALSE(inference.features()[0].image->mirror);
  EXPECT_EQ(inference.features()[0].image->crop.kind, CropKind::whole);
}

TEST(Inference, IsNotOfAModelThatTheJobsProgramComputes) {
  expect_error(Blame::user, "spec.model.kind: is Own, so only the job's own program computes the outputs of the model",
               [] {
                 Inference(config_of(OwnModel{{{"w", {2}}}}), Losses::computed, megabyte, 1);
               });
}

}  // namespace
}  // namespace carrack::train
