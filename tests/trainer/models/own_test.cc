// Models that the job's own program computes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "trainer/error.h"
#include "trainer/models/check.h"
#include "trainer/models/check_own.h"
#include "trainer/models/model.h"

namespace carrack::train {
namespace {

using Problems = std::vector<ModelProblem>;

const Data data{{}, {{"x", FeatureType::float32, 3}, {"y", FeatureType::int64, 1}}};

OwnModel some_model() {
  return {{{"fc.weight", {4, 3}, {OwnInitial::Kind::uniform, 0.5}},
           {"fc.bias", {4}, {OwnInitial::Kind::truncated_normal, 0.25}},
           {"scale", {}, {OwnInitial::Kind::constant, 2}},
           {"bn.running_mean", {4}, {}, false}}};
}

OwnModel one_tensor(OwnTensor tensor) {
  return {{std::move(tensor)}};
}

Config job() {
  Config config;
  config.strategy = Strategy::parameter_server;
  config.ps = {1, 1};
  config.model = some_model();
  config.data = data;
  config.training.optimizer = Sgd{0.1};
  return config;
}

TEST(OwnModel, HasItsTensorsInOrderAndReadsAllFeatures) {
  const ModelGraph model = model_graph(some_model(), data);
  EXPECT_EQ(model.features, data.features);
  EXPECT_FALSE(model.loss);
  const Layout layout = layout_of(model);
  ASSERT_EQ(layout.tensors().size(), 4u);
  EXPECT_EQ(layout.size(), 12 + 4 + 1 + 4);
  EXPECT_EQ(layout.tensor("scale").range, (Range{16, 17}));
  EXPECT_EQ(layout.tensor("scale").shape, Shape());
  EXPECT_FALSE(layout.tensor("fc.weight").own_rate);
  EXPECT_EQ(layout.tensor("bn.running_mean").own_rate, 1.0) << "the whole way to the mean";
}

TEST(OwnModel, BeginsAsItsTensorsSay) {
  std::vector<float> values(21, NAN);
  initialize(model_graph(some_model(), data), 7, {0, 21}, values);
  const auto within = [&](std::ptrdiff_t begin, std::ptrdiff_t end, float limit) {
    return std::all_of(values.begin() + begin, values.begin() + end,
                       [&](float one) { return one != 0 && std::abs(one) <= limit; });
  };
  EXPECT_TRUE(within(0, 12, 0.5f));
  EXPECT_TRUE(within(12, 16, 2 * 0.25f));
  EXPECT_EQ(values[16], 2);
  for (std::size_t i = 17; i < 21; ++i) EXPECT_EQ(values[i], 0);
}

TEST(OwnModel, ComputesNoOutputs) {
  try {
    inference_graph(some_model(), data, Losses::left_out);
    FAIL() << "there is no such graph";
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::user);
    EXPECT_STREQ(error.what(),
                 "spec.model.kind: is Own, so only the job's own program computes the outputs of the model");
  }
}

TEST(OwnModel, HasSizesAndNoWorkspace) {
  EXPECT_EQ(std::get<ModelSizes>(check(some_model(), data, 64)), (ModelSizes{21, 4, 0}));
}

TEST(OwnModel, SaysWhatIsWrongWithItsTensors) {
  EXPECT_EQ(problems_in(OwnModel(), data),
            (Problems{{"spec.model.tensors", "lists 0 tensors; must list from 1 to 10000"}}));
  EXPECT_EQ(problems_in(OwnModel{std::vector<OwnTensor>(10'001)}, data),
            (Problems{{"spec.model.tensors", "lists 10001 tensors; must list from 1 to 10000"}}));
  EXPECT_EQ(problems_in(OwnModel{{{"a", {1}}, {"a", {1}}}}, data),
            (Problems{{"spec.model.tensors[1].name", "'a' is the name of spec.model.tensors[0], too"}}));
  EXPECT_EQ(problems_in(OwnModel{{{"a", {1}, {}, false}, {"b", {1}, {}, false}}}, data),
            (Problems{{"spec.model.tensors", "have nothing to train: all of them have `trained: false`"}}));
  EXPECT_EQ(problems_in(OwnModel{{{"a", {1LL << 33}}, {"b", {1LL << 33}}, {"c", {1}}}}, data),
            (Problems{{"spec.model.tensors", "have more than 17179869184 elements together"}}));
  const std::vector<std::int64_t> huge(8, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(problems_in(OwnModel{{{"a", huge}, {"b", huge}}}, data),
            (Problems{{"spec.model.tensors", "have more than 17179869184 elements together"}}));
}

TEST(OwnModel, SaysWhatIsWrongWithAName) {
  const auto problem_of = [](const std::string& name) { return problems_in(one_tensor({name, {1}}), data); };
  const std::string field = "spec.model.tensors[0].name";
  EXPECT_EQ(problem_of(std::string(256, 'n')), Problems());
  EXPECT_EQ(problem_of("layers.0/SGD.weight"), Problems());
  EXPECT_EQ(problem_of(""), (Problems{{field, "is empty; name it as the program does"}}));
  EXPECT_EQ(problem_of(std::string(257, 'n')), (Problems{{field, "has 257 characters; must have at most 256"}}));
  EXPECT_EQ(problem_of("a b"),
            (Problems{{field, "is 'a b'; must have printable ASCII characters only, and no blanks"}}));
  EXPECT_EQ(problem_of("\xc3\xa9"),
            (Problems{{field, "is '\xc3\xa9'; must have printable ASCII characters only, and no blanks"}}));
  EXPECT_EQ(problem_of("fc*"),
            (Problems{{field, "is 'fc*'; must not have `*`, which stands for any characters in spec.training"}}));
  EXPECT_EQ(
      problem_of("fc/Adam/m"),
      (Problems{{field, "is 'fc/Adam/m'; must not have /Adam/ in it, as names of the optimizer's state have it"}}));
}

TEST(OwnModel, SaysWhatIsWrongWithAShapeOrAnInitialValue) {
  const auto problem_of = [](std::vector<std::int64_t> shape, OwnInitial initial) {
    return problems_in(one_tensor({"a", std::move(shape), initial}), data);
  };
  const std::string shape = "spec.model.tensors[0].shape", scale = "spec.model.tensors[0].initial.scale";
  EXPECT_EQ(problem_of({1, 1, 1, 1, 1, 1, 1, 1}, {}), Problems());
  EXPECT_EQ(problem_of({1, 1, 1, 1, 1, 1, 1, 1, 1}, {}), (Problems{{shape, "has 9 dimensions; must have at most 8"}}));
  EXPECT_EQ(problem_of({3, 0, 2}, {}), (Problems{{shape, "is [3, 0, 2]; dimensions must be 1 or more"}}));
  using Kind = OwnInitial::Kind;
  EXPECT_EQ(problem_of({1}, {Kind::constant, -1e6}), Problems());
  for (const double bad : {-1.1e6, 1.1e6, double{NAN}}) {
    EXPECT_EQ(problem_of({1}, {Kind::constant, bad}), (Problems{{scale, "must be from -1e6 to 1e6"}}));
  }
  for (const Kind kind : {Kind::uniform, Kind::truncated_normal}) {
    EXPECT_EQ(problem_of({1}, {kind, 1e6}), Problems());
    for (const double bad : {0.0, -1.0, 1.1e6, double{NAN}}) {
      EXPECT_EQ(problem_of({1}, {kind, bad}), (Problems{{scale, "must be above 0, and at most 1e6"}}));
    }
  }
}

TEST(OwnModel, IsTrainedOnlyAsItCanBe) {
  EXPECT_EQ(problems_in(job()), Problems());
  Config config = job();
  config.strategy = Strategy::single;
  EXPECT_EQ(problems_in(config),
            (Problems{{"spec.strategy",
                       "is Single; a model of kind Own needs ParameterServer, as its workers are another program than "
                       "the parameter servers"}}));
  config = job();
  config.training.deterministic = true;
  EXPECT_EQ(problems_in(config),
            (Problems{{"spec.training.deterministic",
                       "is true, and how the program of a model of kind Own rounds is not known; leave it out"}}));
  config = job();
  config.data.evaluation = EvaluationData{{"a"}};
  config.training.patience = 3;
  EXPECT_EQ(
      problems_in(config),
      (Problems{{"spec.data.eval",
                 "needs a model that Carrack computes, and one of kind Own is computed by the job's program; "
                 "leave it out"},
                {"spec.training.patience", "counts evaluations, and a model of kind Own has none; leave it out"}}));
}

TEST(OwnModel, HasGroupsAndInitialWeightsOfItsTensors) {
  Config config = job();
  config.training.groups = {{.tensors = {"fc.*"}, .frozen = true}};
  config.training.initial_weights = InitialWeights{.from = "a.safetensors", .tensors = {"bn.*"}};
  EXPECT_EQ(problems_in(config), Problems());
  config.training.groups = {{.tensors = {"*"}, .frozen = true}};
  EXPECT_EQ(problems_in(config), (Problems{{"spec.training.groups", "freeze every tensor; nothing is left to train"}}));
}

}  // namespace
}  // namespace carrack::train
