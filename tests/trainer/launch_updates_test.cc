// The lines of the launch file that say how gradients change parameters, and on what they are computed.
#include <gtest/gtest.h>

#include "trainer/error.h"
#include "trainer/launch/launch.h"

namespace carrack::train {
namespace {

Config some_config() {
  Config config;
  config.model = LinearRegression{"x", "y"};
  config.data = {{"a"}, {{"x", FeatureType::float32, 1}, {"y", FeatureType::float32, 1}}};
  config.training.batch = 64;
  config.checkpoint = {.folder = "out", .every_steps = 10, .resume = ""};
  return config;
}

std::string text_of(const Training& training) {
  Config config = some_config();
  config.training = training;
  return to_config_text(config);
}

Config parsed(const std::string& text) {
  return parse_launch(to_environment(Launch()), text).config;
}

// Expects that the file has this version and, in one piece, these lines, and that it reads back as the same.
void expect_lines(const Training& training, int version, const std::string& lines) {
  const std::string text = text_of(training);
  EXPECT_TRUE(text.starts_with("carrack-launch " + std::to_string(version) + "\n")) << text;
  EXPECT_NE(text.find(lines), std::string::npos) << text;
  EXPECT_EQ(parsed(text).training, training) << text;
}

void expect_lines(const Optimizer& optimizer, int version, const std::string& lines) {
  Training training = some_config().training;
  training.optimizer = optimizer;
  expect_lines(training, version, "training.epochs 1\n" + lines + "training.seed 0\n");
}

TEST(LaunchUpdates, AreInTheVersionThatHasTheOptimizer) {
  expect_lines(Sgd{0.1}, 1, "optimizer.kind SGD\noptimizer.learningRate 0.1\n");
  expect_lines(Sgd{0.1, 0.9}, 5, "optimizer.kind SGD\noptimizer.learningRate 0.1\noptimizer.momentum 0.9\n");
  expect_lines(AdamW{.beta2 = 1.0 / 3, .epsilon = 1e-300, .weight_decay = 0.1}, 5,
               "optimizer.kind AdamW\noptimizer.learningRate 0.001\noptimizer.beta1 0.9\n"
               "optimizer.beta2 0.3333333333333333\noptimizer.epsilon 1e-300\noptimizer.weightDecay 0.1\n");
  expect_lines(Adagrad{1, 2, 1e-9}, 5,
               "optimizer.kind Adagrad\noptimizer.learningRate 1\noptimizer.initialAccumulator 2\n"
               "optimizer.epsilon 1e-09\n");
  expect_lines(Sgd{0.1, 0.9, true}, 6,
               "optimizer.kind SGD\noptimizer.learningRate 0.1\noptimizer.momentum 0.9\noptimizer.nesterov true\n");
  expect_lines(RmsProp{1, 0.5, 1e-9}, 6,
               "optimizer.kind RMSProp\noptimizer.learningRate 1\noptimizer.rho 0.5\noptimizer.epsilon 1e-09\n");
}

TEST(LaunchUpdates, HaveASchedule) {
  Training training = some_config().training;
  training.schedule = {ScheduleKind::cosine, 10'000, 0.1, 500};
  expect_lines(training, 5,
               "training.deterministic false\ntraining.schedule Cosine\ntraining.schedule.steps 10000\n"
               "training.schedule.final 0.1\ntraining.schedule.warmupSteps 500\n");
  training.schedule = {.warmup_steps = 1};
  expect_lines(
      training, 5,
      "training.deterministic false\ntraining.schedule Constant\ntraining.schedule.steps 0\n"
      "training.schedule.final 0\ntraining.schedule.warmupSteps 1\ntraining.clip.value -\ntraining.clip.norm -\n");
}

TEST(LaunchUpdates, ClipGradients) {
  Training training = some_config().training;
  training.clip = Clip{.value = 0.1};
  expect_lines(training, 5, "training.schedule.warmupSteps 0\ntraining.clip.value 0.1\ntraining.clip.norm -\n");
  training.clip = Clip{.value = 0.1, .norm = 5};
  expect_lines(training, 5, "training.clip.value 0.1\ntraining.clip.norm 5\n");
  training.clip = Clip{.norm = 1e-3};
  expect_lines(training, 5, "training.clip.value -\ntraining.clip.norm 0.001\n");
}

TEST(LaunchUpdates, HaveGroupsOfTensors) {
  Training training = some_config().training;
  training.groups = {{{"*/bias", "a name with blanks"}, 0.5, 0.25, false}, {{"norm/*"}, 1, {}, true}};
  expect_lines(training, 5,
               "training.clip.value -\ntraining.clip.norm -\ntraining.group 0.5 0.25 false\ntraining.group 1 - true\n"
               "training.group.0.tensor */bias\ntraining.group.0.tensor a name with blanks\n"
               "training.group.1.tensor norm/*\n");
}

TEST(LaunchUpdates, HaveInitialWeights) {
  Training training = some_config().training;
  training.initial_weights = InitialWeights{.from = "gs://b/a file.safetensors"};
  expect_lines(training, 7,
               "training.patience -\ntraining.initialWeights.from gs://b/a file.safetensors\n"
               "training.initialWeights.tensor *\ncheckpoint.folder ");
  training.initial_weights->tensors = {"a/*", "b"};
  training.initial_weights->names = {{"b", "layer 1", true}, {"my layer/kernel", "", true}, {"a/bias", "c", false}};
  expect_lines(training, 7,
               "training.initialWeights.tensor a/*\ntraining.initialWeights.tensor b\n"
               "training.initialWeights.name true b\ntraining.initialWeights.name.storedAs layer 1\n"
               "training.initialWeights.name true my layer/kernel\ntraining.initialWeights.name.storedAs \n"
               "training.initialWeights.name false a/bias\ntraining.initialWeights.name.storedAs c\n");
  training.initial_weights.reset();
  training.patience = 1;
  expect_lines(training, 7, "training.patience 1\ntraining.initialWeights.from \ncheckpoint.folder ");
}

std::string refusal_of(std::string text, const std::string& old, const std::string& other) {
  text.replace(text.find(old), old.size(), other);
  try {
    parsed(text);
    return "is read";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(LaunchUpdates, AreRefusedIfALineIsMissing) {
  Training training = some_config().training;
  training.optimizer = Sgd{0.1, 0.9};
  EXPECT_EQ(refusal_of(text_of(training), "optimizer.momentum 0.9\n", ""), "launch file: has no 'optimizer.momentum'");
}

TEST(Launch, OfSeveralGpusIsNotForTrainersThatComputeOnOne) {
  for (const int gpus : {1, 2, 16}) {
    Config config;
    config.worker_gpus = gpus;
    const std::string text = to_config_text(config);
    EXPECT_TRUE(text.starts_with(gpus == 1 ? "carrack-launch 14\n" : "carrack-launch 15\n")) << text;
    EXPECT_EQ(parse_config_text(text), config);
  }
}

}  // namespace
}  // namespace carrack::train
