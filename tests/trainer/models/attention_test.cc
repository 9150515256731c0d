// Layers of transformers: their tensors, what they compute, and what they refuse.
#include <gtest/gtest.h>

#include <map>

#include "tests/trainer/graph/expect_error.h"
#include "tests/trainer/kernels/naive.h"
#include "tests/trainer/models/networks.h"
#include "tests/trainer/models/run_network.h"
#include "trainer/models/check.h"
#include "trainer/models/layers.h"

namespace carrack::train {
namespace {

const Data sequences{{},
                     {{"long", FeatureType::float32, 10, {}, Shape{5, 2}},
                      {"real", FeatureType::float32, 5},
                      {"short", FeatureType::float32, 6, {}, Shape{2, 3}},
                      {"x", FeatureType::float32, 3}}};

Layer attention(std::vector<std::string> inputs, std::int64_t heads = 2, std::int64_t key_size = 4) {
  Layer layer = of_kind("MultiHeadAttention", std::move(inputs));
  layer.set("heads", heads);
  layer.set("keySize", key_size);
  return layer;
}

const Loss of_short{LossKind::mse, "short"};

std::map<std::string, Shape> shapes_of(const Layers& network) {
  std::map<std::string, Shape> shapes;
  for (const Parameter& parameter : build(network, sequences).parameters) shapes[parameter.name] = parameter.shape;
  return shapes;
}

TEST(Attention, IsThatOfItsHeads) {
  EXPECT_EQ(shapes_of({{attention({"short", "long", "real"})}, of_short}),
            (std::map<std::string, Shape>{{"multiheadattention/query_kernel", {3, 2, 4}},
                                          {"multiheadattention/query_bias", {2, 4}},
                                          {"multiheadattention/key_kernel", {2, 2, 4}},
                                          {"multiheadattention/key_bias", {2, 4}},
                                          {"multiheadattention/value_kernel", {2, 2, 4}},
                                          {"multiheadattention/value_bias", {2, 4}},
                                          {"multiheadattention/output_kernel", {2, 4, 3}},
                                          {"multiheadattention/output_bias", {3}}}));
  Layer plain = attention({"short"}, 1, 1);
  plain.set("bias", false);
  EXPECT_EQ(shapes_of({{plain}, of_short}),
            (std::map<std::string, Shape>{{"multiheadattention/query_kernel", {3, 1, 1}},
                                          {"multiheadattention/key_kernel", {3, 1, 1}},
                                          {"multiheadattention/value_kernel", {3, 1, 1}},
                                          {"multiheadattention/output_kernel", {1, 1, 3}}}));
}

// As Keras has it for tensors of three dimensions: of the query [3, 2, 4] there are 3 * 2 inputs and 3 * 4 units.
TEST(Attention, DrawsItsWeightsAsKerasDoes) {
  const ModelGraph model = build({{attention({"short"})}, of_short}, sequences);
  EXPECT_EQ(model.parameters[0].initial, (InitialValues{InitialValues::Kind::uniform, std::sqrt(6.0f / 18)}));
  EXPECT_EQ(model.parameters[6].initial, (InitialValues{InitialValues::Kind::uniform, std::sqrt(6.0f / 14)}));
  EXPECT_EQ(model.parameters[7].initial, InitialValues());
}

// Of one head with one value each: the first step reads itself, the second both.
TEST(Attention, OfCausalStepsReadsNoLaterOne) {
  const Data two{{}, {{"s", FeatureType::float32, 2, {}, Shape{2, 1}}}};
  Layer layer = attention({"s"}, 1, 1);
  layer.set("bias", false);
  const std::vector<float> s{2, 5}, weights{0, 0, 1, 1};  // queries and keys are 0, so all scores are equal
  for (const bool causal : {false, true}) {
    layer.set("causal", causal);
    const ModelGraph model = build({{layer}, {LossKind::mse, "s"}}, two);
    Executor executor(gradients(model.graph, *model.loss), layout_of(model), 1);
    std::vector<float> gradient(4);
    const float loss = executor.run(weights, std::vector<FeatureValues>{std::span<const float>(s)}, 1, gradient);
    const float first = causal ? 0 : 1.5f * 1.5f;  // squared errors of the means 2 or 3.5, and 3.5
    EXPECT_FLOAT_EQ(loss, (first + 1.5f * 1.5f) / 2);
  }
}

TEST(Attention, KnowsPlacesByTheirEmbeddings) {
  const ModelGraph model = build({{of_kind("PositionEmbedding", {"short"})}, of_short}, sequences);
  ASSERT_EQ(model.parameters.size(), 1u);
  EXPECT_EQ(model.parameters[0].name, "positionembedding/embeddings");
  EXPECT_EQ(model.parameters[0].shape, (Shape{2, 3}));
  EXPECT_EQ(model.parameters[0].initial, (InitialValues{InitialValues::Kind::uniform, 0.05f}));
  const std::vector<float> of_short_rows(12, 1), embeddings{1, 2, 3, 4, 5, 6};
  Executor executor(gradients(model.graph, *model.loss), layout_of(model), 2);
  std::vector<float> gradient(6);
  const FeatureValues values = std::span<const float>(of_short_rows);
  EXPECT_FLOAT_EQ(executor.run(embeddings, std::vector<FeatureValues>{values}, 2, gradient), 2 * 91.0f / 6);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_FLOAT_EQ(gradient[i], 2 * 2 * embeddings[i] / 6);
}

// The product of the sizes is 2^64: it must not be taken for 0.
TEST(Attention, OfSizesThatNobodyCanCountIsRefused) {
  const Data wide{{}, {{"w", FeatureType::float32, std::int64_t{1} << 34, {}, Shape{1, std::int64_t{1} << 34}}}};
  Layer layer = attention({"w"}, 1 << 10, 1 << 20);
  layer.set("bias", false);
  expect_error(Blame::user,
               "spec.model.layers[0]: has a tensor [17179869184, 1024, 1048576]; a model may have up to 17179869184 "
               "parameters",
               [&] {
                 build({{layer}, {LossKind::mse, "w"}}, wide);
               });
}

struct Refusal {
  const char* name;
  std::vector<Layer> layers;
  const char* message;
};

const Refusal refusals[] = {
    {"NoSequence", {attention({"x"})}, "reads `x` [rows, 3]; needs time steps, such as [rows, steps, values]"},
    {"NoSequenceOfPlaces",
     {of_kind("PositionEmbedding", {"x"})},
     "reads `x` [rows, 3]; needs time steps, such as [rows, steps, values]"},
    {"NoMemory",
     {attention({"short", "x", "real"})},
     "reads `x` [rows, 3]; needs time steps there, such as [rows, steps, values]"},
    {"MaskOfOtherSteps",
     {attention({"short", "real"})},
     "has the mask `real` [rows, 5]; needs a value for each time step of `short` [rows, 2, 3]"},
    {"TwoMemories",
     {attention({"short", "long", "long"})},
     "has the mask `long` [rows, 5, 2]; needs a value for each time step of `long` [rows, 5, 2]"},
    {"FourInputs", {attention({"short", "long", "real", "real"})}, "has more than three inputs"},
    {"MaskOfALayer",
     {dense(5, {"x"}), attention({"short", "long", "dense"})},
     "has 'dense' as its mask, which is a layer; needs a feature"},
};

class RefusedAttention : public testing::TestWithParam<Refusal> {};

TEST_P(RefusedAttention, SaysWhatIsWrong) {
  const std::string path = "spec.model.layers[" + std::to_string(GetParam().layers.size() - 1) + "]: ";
  expect_error(Blame::user, (path + GetParam().message).c_str(), [] {
    build({GetParam().layers, of_short}, sequences);
  });
}

INSTANTIATE_TEST_SUITE_P(All, RefusedAttention, testing::ValuesIn(refusals),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace carrack::train
