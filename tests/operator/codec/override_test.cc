#include "operator/codec/override.h"

#include <gtest/gtest.h>

#include "operator/codec/job.h"

namespace carrack::control {
namespace {

constexpr const char* manifest = R"(
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {name: line}
spec:
  strategy: Single
  model: {kind: LinearRegression, input: x.a, target: "y"}
  data:
    train: {files: [a, b]}
    features: {x.a: {type: float32}, "y": {type: float32}}
  training: {batch: 64, optimizer: {kind: SGD}}
)";

Override given(const std::string& text) {
  const auto parsed = parse_override(text);
  if (const auto* wrong = std::get_if<std::string>(&parsed)) ADD_FAILURE() << *wrong;
  return std::get<Override>(parsed);
}

// The manifest with these values, decoded; or the problem of a path.
std::variant<DecodedJob, Problem> with(const std::vector<std::string>& texts) {
  Node document = std::get<Node>(parse_yaml(manifest));
  for (const std::string& text : texts) {
    if (const auto problem = apply(given(text), document)) return *problem;
  }
  return decode_job(document);
}

train::Config config_with(const std::vector<std::string>& texts) {
  const auto job = std::get<DecodedJob>(with(texts));
  for (const Problem& problem : job.problems) ADD_FAILURE() << problem.field << " " << problem.text;
  return job.spec.config;
}

Problem problem_with(const std::vector<std::string>& texts) {
  const auto result = with(texts);
  if (const auto* problem = std::get_if<Problem>(&result)) return *problem;
  const auto& problems = std::get<DecodedJob>(result).problems;
  EXPECT_EQ(problems.size(), 1U);
  return problems.empty() ? Problem{} : problems.front();
}

TEST(Override, ReplacesAValueOfAnyKind) {
  const train::Config config = config_with({"spec.training.batch=7", "spec.training.optimizer={kind: Adam, beta1: 0.5}",
                                            "spec.model.target=x.a", "spec.data.features.x.a.size=3"});
  EXPECT_EQ(config.training.batch, 7);
  EXPECT_EQ(std::get<train::Adam>(config.training.optimizer).beta1, 0.5);
  EXPECT_EQ(std::get<train::LinearRegression>(config.model).target, "x.a");
  EXPECT_EQ(config.data.features[0].size, 3) << "the name of a feature may hold dots";
}

TEST(Override, AddsWhatTheManifestLacks) {
  const train::Config config =
      config_with({"spec.training.epochs=3", "spec.checkpoint.everySteps=100", "spec.data.eval.files.0=held-out"});
  EXPECT_EQ(config.training.epochs, 3);
  EXPECT_EQ(config.checkpoint.every_steps, 100);
  EXPECT_EQ(config_with({"spec.checkpoint=null", "spec.checkpoint.keepLast=2"}).checkpoint.keep_last, 2);
  EXPECT_EQ(config.data.evaluation.value().files, std::vector<std::string>{"held-out"});
}

TEST(Override, ReplacesAnElementOfAListOrAddsOneBehindItsEnd) {
  using Files = std::vector<std::string>;
  EXPECT_EQ(config_with({"spec.data.train.files.0=c"}).data.files, (Files{"c", "b"}));
  EXPECT_EQ(config_with({"spec.data.train.files[1]=c"}).data.files, (Files{"a", "c"}));
  EXPECT_EQ(config_with({"spec.data.train.files.2=c", "spec.data.train.files[3]=d"}).data.files,
            (Files{"a", "b", "c", "d"}));
  EXPECT_EQ(config_with({"spec.data.train.files=[c]"}).data.files, Files{"c"});
}

TEST(Override, OfALaterOptionWins) {
  EXPECT_EQ(config_with({"spec.training.epochs=3", "spec.training.epochs=4"}).training.epochs, 4);
}

TEST(Override, HoldsWhatFollowsTheFirstEqualsSign) {
  EXPECT_EQ(config_with({"spec.data.train.files.0=a=b"}).data.files[0], "a=b");
  EXPECT_EQ(config_with({"spec.data.train.files.0=\"12\""}).data.files[0], "12");
}

TEST(Override, OfAnUnknownFieldGetsTheNearestName) {
  EXPECT_EQ(problem_with({"spec.training.epohs=3"}),
            (Problem{"spec.training.epohs", "is unknown; did you mean 'epochs'? (--set spec.training.epohs)"}));
  EXPECT_EQ(problem_with({"spec.trainin.epochs=3"}),
            (Problem{"spec.trainin", "is unknown; did you mean 'training'? (--set spec.trainin.epochs)"}));
}

TEST(Override, IsNamedAsThePlaceOfAProblemInsteadOfALine) {
  EXPECT_EQ(problem_with({"spec.training.batch=many"}),
            (Problem{"spec.training.batch", "is text; must be a whole number (--set spec.training.batch)"}));
  EXPECT_EQ(problem_with({"spec.training.optimizer={}"}),
            (Problem{"spec.training.optimizer.kind", "is missing (--set spec.training.optimizer)"}));
  const auto job = std::get<DecodedJob>(with({"spec.training.batch=0"}));
  EXPECT_EQ(with_places({{"spec.training.batch", "is 0"}, {"spec.training.optimizer", "is bad"}}, job.document),
            (std::vector<Problem>{{"spec.training.batch", "is 0 (--set spec.training.batch)"},
                                  {"spec.training.optimizer", "is bad (line 11)"}}));
}

TEST(Override, IsRefusedWhereItsPathLeadsNowhere) {
  EXPECT_EQ(
      problem_with({"spec.training.batch.size=3"}),
      (Problem{"spec.training.batch", "is a whole number, which holds no 'size' (--set spec.training.batch.size)"}));
  const std::string places = "is not one of its places, 0 to 2; the last one appends an element";
  EXPECT_EQ(problem_with({"spec.data.train.files.3=c"}),
            (Problem{"spec.data.train.files", "is a list of 2; '3' " + places + " (--set spec.data.train.files.3)"}));
  EXPECT_EQ(problem_with({"spec.data.train.files.x=c"}),
            (Problem{"spec.data.train.files", "is a list of 2; 'x' " + places + " (--set spec.data.train.files.x)"}));
  EXPECT_EQ(problem_with({"spec..batch=3"}),
            (Problem{"spec", "is an object; '.batch' is not the name of a field (--set spec..batch)"}));
  std::string deep = "a";
  for (int i = 0; i < 100'000; ++i) deep += ".a";
  EXPECT_EQ(problem_with({deep + "=1"}), (Problem{deep, "goes through more than 64 levels"}));
}

TEST(Override, IsRefusedWhereItCannotBeRead) {
  const auto wrong = [](const std::string& text) { return std::get<std::string>(parse_override(text)); };
  EXPECT_EQ(wrong("spec.training.epochs"), "is 'spec.training.epochs'; write PATH=VALUE, as in spec.training.epochs=3");
  EXPECT_EQ(wrong("=3"), "is '=3'; write PATH=VALUE, as in spec.training.epochs=3");
  EXPECT_EQ(wrong("a.b="), "a.b has no value; for an empty text write a.b=\"\"");
  EXPECT_EQ(wrong("a.b=y"), "a.b: the value 'y' is true to kubectl; write true, or text in quotes");
  EXPECT_TRUE(wrong("a.b=[1").starts_with("a.b: the value is not valid YAML")) << wrong("a.b=[1");
}

}  // namespace
}  // namespace carrack::control
