// Layers that standardize features: what their graphs compute, for the output and for the loss.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/trainer/models/run_network.h"
#include "trainer/models/check.h"

namespace carrack::train {
namespace {

TEST(Network, StandardizesEachValueOfTheLastDimension) {
  const Layers network{{of_kind("Standardize", {"steps"}), with_units(of_kind("TimeDistributed"), 3)},
                       {LossKind::mse, "steps"}};
  EXPECT_EQ(problems_in(network, data), std::vector<ModelProblem>());
  const ModelGraph model = build(network, data);
  ASSERT_EQ(model.parameters.size(), 4u);
  EXPECT_EQ(model.parameters[0].name, "standardize/mean");
  EXPECT_EQ(model.parameters[0].shape, (Shape{3}));
  EXPECT_EQ(model.parameters[1].name, "standardize/deviation");
  EXPECT_FALSE(model.parameters[0].is_trained() || model.parameters[1].is_trained());
  EXPECT_TRUE(model.parameters[2].is_trained());
  ASSERT_EQ(model.standardized.size(), 1u);
  EXPECT_EQ(model.standardized[0].layer, "standardize");
  EXPECT_EQ(model.standardized[0].feature, "steps");
  EXPECT_EQ(model.standardized[0].columns, 3);
  const Layout layout = layout_of(model);
  EXPECT_EQ(layout.tensor("standardize/deviation").own_rate, 0);
  EXPECT_EQ(layout.tensor("timedistributed/kernel").own_rate, std::nullopt);
  // The identity of what is standardized, and a bias of 0.
  const std::vector<float> steps{1, 2, 3, -1, 0, 4},
      parameters{1, 2, 3, 2, 4, 0.5f, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  const std::vector<float> result = run(network, parameters, {std::span<const float>(steps)}, 1);
  double loss = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    loss += std::pow((steps[i] - parameters[i % 3]) / parameters[3 + i % 3] - steps[i], 2) / 6;
  }
  EXPECT_FLOAT_EQ(result[0], static_cast<float>(loss));
  EXPECT_EQ(std::vector<float>(result.begin() + 1, result.begin() + 7), std::vector<float>(6)) << "no gradient";
}

TEST(Network, IsComparedWithWhatALayerStandardizes) {
  const Layers network{{of_kind("Standardize", {"steps"}), dense(3)}, {LossKind::mse, "standardize"}};
  EXPECT_EQ(problems_in(network, data), std::vector<ModelProblem>());
  EXPECT_EQ(build(network, data).features.size(), 1u);
  // Weights and biases of 0 leave the standardized values, here (x - 1) / 2.
  const std::vector<float> steps{1, 2, 3, -1, 0, 4};
  std::vector<float> parameters{1, 1, 1, 2, 2, 2};
  parameters.resize(18);
  const float loss = run(network, parameters, {std::span<const float>(steps)}, 1)[0];
  EXPECT_FLOAT_EQ(loss, (0 + 1 + 4 + 4 + 1 + 9) / 4.0f / 6);
}

// A layer that only the loss reads, and its feature, are not there without losses.
TEST(Network, LeavesOutATargetThatNoLayerReads) {
  const Layers network{{of_kind("Standardize", {"y"}, "wanted"), of_kind("Standardize", {"x"}), dense(2)},
                       {LossKind::mae, "wanted"}};
  EXPECT_EQ(problems_in(network, data), std::vector<ModelProblem>());
  const InferenceGraph with = inference(network, data, Losses::computed),
                       without = inference(network, data, Losses::left_out);
  EXPECT_EQ(with.features.size(), 2u);
  EXPECT_EQ(with.graph.value(*with.target).name, "wanted");
  ASSERT_EQ(without.features.size(), 1u);
  EXPECT_EQ(without.features[0].name, "x");
  EXPECT_EQ(without.target, std::nullopt);
  const Layers restored{{of_kind("Standardize", {"x"}), dense(3)}, {LossKind::mse, "standardize"}};
  EXPECT_NE(inference(restored, data, Losses::left_out).target, std::nullopt) << "the layer is read";
}

}  // namespace
}  // namespace carrack::train
