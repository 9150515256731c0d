// What a manifest says of how gradients change parameters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/codec/job.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using namespace train;
using testing::IsEmpty;

std::string manifest(const std::string& training) {
  return R"(apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {name: line}
spec:
  strategy: Single
  model: {kind: LinearRegression, input: x, target: label}
  data: {train: {files: [a]}, features: {x: {type: float32}, label: {type: float32}}}
  training: {batch: 64, )" +
         training + R"(}
  checkpoint: {folder: out}
)";
}

// Decodes it without a problem, and from what is written for it.
Training training_of(const std::string& fields) {
  const DecodedJob job = decode_job(manifest(fields));
  const auto text_of = [](const std::vector<Problem>& problems) { return describe(problems); };
  EXPECT_EQ(text_of(job.problems), "") << fields;
  EXPECT_EQ(text_of(problems_in(job.spec, any_model)), "") << fields;
  EXPECT_EQ(decode_job(to_yaml(job_node(job.spec))).spec, job.spec) << fields;
  return job.spec.config.training;
}

std::string problems_of(const std::string& fields) {
  return describe(decode_job(manifest(fields)).problems);
}

TEST(ManifestUpdates, HaveEachOptimizerWithItsDefaults) {
  const auto optimizer = [](const std::string& fields) { return training_of("optimizer: {" + fields + "}").optimizer; };
  EXPECT_EQ(optimizer("kind: SGD"), Optimizer(Sgd{0.01, 0}));
  EXPECT_EQ(optimizer("kind: SGD, momentum: 0.9"), Optimizer(Sgd{0.01, 0.9}));
  EXPECT_EQ(optimizer("kind: SGD, momentum: 0.9, nesterov: true"), Optimizer(Sgd{0.01, 0.9, true}));
  EXPECT_EQ(optimizer("kind: RMSProp"), Optimizer(RmsProp{0.001, 0.9, 1e-7}));
  EXPECT_EQ(optimizer("kind: RMSProp, rho: 0.5"), Optimizer(RmsProp{0.001, 0.5, 1e-7}));
  EXPECT_EQ(optimizer("kind: AdamW"), Optimizer(AdamW{0.001, 0.9, 0.999, 1e-7, 0.004}));
  EXPECT_EQ(optimizer("kind: AdamW, weightDecay: 0, beta1: 0.5"), Optimizer(AdamW{0.001, 0.5, 0.999, 1e-7, 0}));
  EXPECT_EQ(optimizer("kind: Adagrad"), Optimizer(Adagrad{0.001, 0.1, 1e-7}));
  EXPECT_EQ(optimizer("kind: Adagrad, initialAccumulator: 0"), Optimizer(Adagrad{0.001, 0, 1e-7}));
}

TEST(ManifestUpdates, FollowASchedule) {
  const auto schedule = [](const std::string& fields) {
    return training_of("optimizer: {kind: SGD}, schedule: {" + fields + "}").schedule;
  };
  EXPECT_EQ(training_of("optimizer: {kind: SGD}").schedule, Schedule());
  EXPECT_EQ(schedule("kind: Constant, warmupSteps: 5"), (Schedule{.warmup_steps = 5}));
  EXPECT_EQ(schedule("kind: Linear, steps: 7"), (Schedule{ScheduleKind::linear, 7, 0, 0}));
  EXPECT_EQ(schedule("kind: Cosine, steps: 10000, final: 0.1, warmupSteps: 500"),
            (Schedule{ScheduleKind::cosine, 10'000, 0.1, 500}));
  EXPECT_EQ(schedule("kind: Exponential, steps: 7, final: 1e-3"), (Schedule{ScheduleKind::exponential, 7, 1e-3, 0}));
  EXPECT_EQ(problems_of("optimizer: {kind: SGD}, schedule: {kind: Constant, steps: 5}"),
            "spec.training.schedule.steps: is unknown; there are kind, warmupSteps (line 8)");
}

TEST(ManifestUpdates, ClipGradients) {
  EXPECT_EQ(training_of("optimizer: {kind: SGD}").clip, std::nullopt);
  EXPECT_EQ(training_of("optimizer: {kind: SGD}, clip: {value: 1}").clip, (Clip{.value = 1}));
  EXPECT_EQ(training_of("optimizer: {kind: SGD}, clip: {norm: 0.5}").clip, (Clip{.norm = 0.5}));
  EXPECT_EQ(training_of("optimizer: {kind: SGD}, clip: {value: 1, norm: 2}").clip, (Clip{.value = 1, .norm = 2}));
}

TEST(ManifestUpdates, DifferByGroupsOfTensors) {
  EXPECT_THAT(training_of("optimizer: {kind: SGD}").groups, IsEmpty());
  const std::string groups =
      "[{tensors: ['*/bias', norm/*], weightDecay: 0}, {tensors: [a], learningRateScale: 0.5}, "
      "{tensors: [b], frozen: true}]";
  EXPECT_EQ(
      training_of("optimizer: {kind: AdamW}, groups: " + groups).groups,
      (std::vector<TensorGroup>{{{"*/bias", "norm/*"}, 1, 0, false}, {{"a"}, 0.5, {}, false}, {{"b"}, 1, {}, true}}));
  EXPECT_EQ(problems_of("optimizer: {kind: SGD}, groups: [{tensor: [a]}]"),
            "spec.training.groups[0].tensors: is missing (line 8)\n"
            "spec.training.groups[0].tensor: is unknown; did you mean 'tensors'? (line 8)");
}

TEST(ManifestUpdates, BeginWithWeights) {
  EXPECT_EQ(training_of("optimizer: {kind: SGD}").initial_weights, std::nullopt);
  EXPECT_EQ(training_of("optimizer: {kind: SGD}, initialWeights: {from: a}").initial_weights,
            (InitialWeights{"a", {"*"}, {}}));
  EXPECT_EQ(training_of("optimizer: {kind: SGD}, initialWeights: {from: a, tensors: [w, b], names: [{tensor: w, "
                        "storedAs: fc.weight}, {tensor: b, transposed: true}]}")
                .initial_weights,
            (InitialWeights{"a", {"w", "b"}, {{"w", "fc.weight", false}, {"b", "", true}}}));
  EXPECT_EQ(problems_of("optimizer: {kind: SGD}, initialWeights: {names: [{in: a}]}"),
            "spec.training.initialWeights.from: is missing (line 8)\n"
            "spec.training.initialWeights.names[0].tensor: is missing (line 8)\n"
            "spec.training.initialWeights.names[0].in: is unknown; there are tensor, storedAs, transposed (line 8)");
}

}  // namespace
}  // namespace carrack::control
