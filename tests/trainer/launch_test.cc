#include "trainer/launch/launch.h"

#include <gtest/gtest.h>

#include <functional>

#include "trainer/error.h"

namespace carrack::train {
namespace {

Launch some_launch() {
  Config config;
  config.strategy = Strategy::parameter_server;
  config.ps = {2, 2};
  config.workers = {1, 3};
  config.model = LinearRegression{"x", "the target"};
  config.data = {{"gs://b/a *.tfrecord", "file:///data/b"},
                 {{"the target", FeatureType::float32, 1}, {"x", FeatureType::float32, 20'000}}};
  config.training = {64, 16, 3, Adam{1e-3, 0.9, 1.0 / 3, 1e-300}, 7, Consistency::async, Reduction::mean, false};
  config.checkpoint = {.folder = "out", .every_steps = 10, .resume = ""};
  return {"line",
          "1b4e28ba",
          {Role::ps, 1},
          {2, 5},
          {"unix:/run/c", "127.0.0.1:0", "/run/keys", "127.0.0.1:8080", "/run/report"},
          config};
}

std::vector<MixedSet> some_mix() {
  return {{{"gs://b/a *.tfrecord", "c"}, {Shuffle{}, Repeat{2}}, 0.7}, {{"d"}, {}, 1e6}};
}

Feature some_image() {
  const Image image{.height = 48,
                    .width = 65'535,
                    .channels = 1,
                    .layout = ImageLayout::nchw,
                    .crop = {CropKind::central, 0.5, 1},
                    .mirror = true,
                    .black = -1,
                    .white = 1e-3};
  return {"the image", FeatureType::float32, 3'145'680, image};
}

TEST(Launch, IsTheSameAfterTheWayThere) {
  Launch launch = some_launch();
  EXPECT_EQ(parse_launch(to_environment(launch), to_config_text(launch.config)), launch);
  launch.config.strategy = Strategy::single;
  launch.config.model = Tally{"record", 50'000};
  launch.config.training.optimizer = Sgd{1.0};
  launch.config.training.deterministic = true;
  launch.config.checkpoint.resume = "gs://b/other job";
  EXPECT_EQ(parse_launch(to_environment(launch), to_config_text(launch.config)), launch);
  launch.config.data.stages = {};
  EXPECT_EQ(parse_launch(to_environment(launch), to_config_text(launch.config)), launch);
  launch.config.data.stages = {
      Interleave{8, 2}, Shard{3, 1},   Skip{5}, Take{1'000'000'000'000}, Shuffle{ShuffleKind::block, 7, 9},
      Repeat{2},        Cache{"1.5Gi"}};
  EXPECT_EQ(parse_launch(to_environment(launch), to_config_text(launch.config)), launch);
  launch.config.data.stages = {Filter{"a label", -0.1, {}}, Filter{"x", {}, 1e300}, Filter{"y", -7, -7},
                               Snapshot{"gs://b/a folder"}, Shuffle{}};
  EXPECT_EQ(parse_launch(to_environment(launch), to_config_text(launch.config)), launch);
  launch.config.data.stages = {Shuffle{}};
  launch.config.data.features.push_back(some_image());
  launch.config.data.features.push_back({"z", FeatureType::int64, 3});
  EXPECT_EQ(parse_launch(to_environment(launch), to_config_text(launch.config)), launch);
  launch.config.data.files.clear();
  launch.config.data.mix = some_mix();
  EXPECT_EQ(parse_launch(to_environment(launch), to_config_text(launch.config)), launch);
  launch.config.data.evaluation = EvaluationData{{"gs://b/eval *.tfrecord", "d"}};
  EXPECT_EQ(parse_launch(to_environment(launch), to_config_text(launch.config)), launch);
  launch.config.training.patience = 1'000'000;
  launch.config.training.max_staleness = 0;
  EXPECT_EQ(parse_launch(to_environment(launch), to_config_text(launch.config)), launch);
  launch.config.checkpoint.keep_last = 1'000'000;
  EXPECT_EQ(parse_launch(to_environment(launch), to_config_text(launch.config)), launch);
  launch.config.checkpoint.keep_every_steps = 5'000;
  EXPECT_EQ(parse_launch(to_environment(launch), to_config_text(launch.config)), launch);
  launch.config.checkpoint.every_seconds = 60;
  EXPECT_EQ(parse_launch(to_environment(launch), to_config_text(launch.config)), launch);
  launch.config.checkpoint.on_taken = OnTaken::replace;
  EXPECT_EQ(parse_launch(to_environment(launch), to_config_text(launch.config)), launch);
  launch.config.checkpoint.every_steps.reset();
  EXPECT_EQ(parse_launch(to_environment(launch), to_config_text(launch.config)), launch);
  launch.config.security.tls = true;
  launch.config.worker_gpus = 1;
  EXPECT_EQ(parse_launch(to_environment(launch), to_config_text(launch.config)), launch);
}

TEST(Launch, WritesWhatTheFormatShows) {
  EXPECT_EQ(to_config_text(some_launch().config),
            "carrack-launch 1\n"
            "strategy ParameterServer\n"
            "replicas.ps 2 2\n"
            "replicas.worker 1 3\n"
            "model.kind LinearRegression\n"
            "model.input x\n"
            "model.target the target\n"
            "data.file gs://b/a *.tfrecord\n"
            "data.file file:///data/b\n"
            "data.feature float32 1 the target\n"
            "data.feature float32 20000 x\n"
            "training.batch 64\n"
            "training.lanes 16\n"
            "training.epochs 3\n"
            "optimizer.kind Adam\n"
            "optimizer.learningRate 0.001\n"
            "optimizer.beta1 0.9\n"
            "optimizer.beta2 0.3333333333333333\n"
            "optimizer.epsilon 1e-300\n"
            "training.seed 7\n"
            "training.consistency Async\n"
            "training.reduction Mean\n"
            "training.deterministic false\n"
            "checkpoint.folder out\n"
            "checkpoint.everySteps 10\n"
            "checkpoint.resume \n");
  const Environment environment = {{"CARRACK_JOB", "line"},
                                   {"CARRACK_JOB_UID", "1b4e28ba"},
                                   {"CARRACK_ROLE", "ps"},
                                   {"CARRACK_INDEX", "1"},
                                   {"CARRACK_ATTEMPT", "2"},
                                   {"CARRACK_INCARNATION", "5"},
                                   {"CARRACK_COORDINATOR", "unix:/run/c"},
                                   {"CARRACK_LISTEN", "127.0.0.1:0"},
                                   {"CARRACK_KEYS", "/run/keys"},
                                   {"CARRACK_PROGRESS", "127.0.0.1:8080"},
                                   {"CARRACK_FINAL_REPORT", "/run/report"}};
  EXPECT_EQ(to_environment(some_launch()), environment);
}

// So that trainers of the release before run what needs nothing newer.
TEST(Launch, WritesTheLowestVersionThatSaysIt) {
  Config config = some_launch().config;
  config.data.stages = {Skip{5}, Shuffle{ShuffleKind::block, 0, 16}};
  const std::string text = to_config_text(config);
  EXPECT_TRUE(text.starts_with("carrack-launch 2\n")) << text;
  EXPECT_NE(text.find("data.file file:///data/b\ndata.stage skip 5\ndata.stage shuffle Block 0 16\ndata.feature"),
            std::string::npos)
      << text;
  config.data.stages = {Filter{"label", 0, 1}};
  EXPECT_TRUE(to_config_text(config).starts_with("carrack-launch 3\n"));
  config.data.stages = {Filter{"a label", {}, 0.1}, Snapshot{"gs://b/a folder"}};
  const std::string snapshot = to_config_text(config);
  EXPECT_TRUE(snapshot.starts_with("carrack-launch 3\n")) << snapshot;
  EXPECT_NE(snapshot.find("data.stage filter - 0.1 a label\ndata.stage snapshot gs://b/a folder\ndata.feature"),
            std::string::npos)
      << snapshot;
  config.data.stages = {Shuffle{}};
  config.data.features = {some_image(), {"y", FeatureType::float32, 1}};
  const std::string newest = to_config_text(config);
  EXPECT_TRUE(newest.starts_with("carrack-launch 3\n")) << newest;
  EXPECT_NE(newest.find("data.feature image 48 65535 1 NCHW Central 0.5 1 true -1 0.001 the image\n"
                        "data.feature float32 1 y\n"),
            std::string::npos)
      << newest;
  config = some_launch().config;
  config.data.files.clear();
  config.data.mix = some_mix();
  config.data.stages = {};
  const std::string mixed = to_config_text(config);
  EXPECT_TRUE(mixed.starts_with("carrack-launch 3\n")) << mixed;
  EXPECT_NE(mixed.find("data.mix 0.7\n"
                       "data.mix 1e+06\n"
                       "data.mix.0.file gs://b/a *.tfrecord\n"
                       "data.mix.0.file c\n"
                       "data.mix.0.stage shuffle ByPlace 0 16\n"
                       "data.mix.0.stage repeat 2\n"
                       "data.mix.1.file d\n"
                       "data.feature"),
            std::string::npos)
      << mixed;
}

TEST(Launch, WritesWhatCheckpointsAreEvaluatedWith) {
  Config config = some_launch().config;
  config.data.evaluation = EvaluationData{{"a", "gs://b/c"}};
  config.training.patience = 5;
  const std::string text = to_config_text(config);
  EXPECT_NE(text.find("training.patience 5\n"), std::string::npos) << text;
  EXPECT_TRUE(text.starts_with("carrack-launch 7\n")) << text;
  EXPECT_NE(text.find("data.evaluation.file a\ndata.evaluation.file gs://b/c\ndata.feature"), std::string::npos)
      << text;
}

TEST(Launch, WritesWhichCheckpointsStayUnlessTheyAreTheDefault) {
  Config config = some_launch().config;
  config.checkpoint.keep_last = 3;
  EXPECT_TRUE(to_config_text(config).starts_with("carrack-launch 1\n"));
  config.checkpoint.keep_last = 1;
  const std::string removing = to_config_text(config);
  EXPECT_TRUE(removing.starts_with("carrack-launch 4\n")) << removing;
  EXPECT_NE(removing.find("checkpoint.everySeconds 300\ncheckpoint.everySteps 10\n"
                          "checkpoint.keepLast 1\ncheckpoint.keepEverySteps -\n"),
            std::string::npos)
      << removing;
  config.checkpoint = {.folder = "out", .keep_every_steps = 500, .resume = ""};
  const std::string every = to_config_text(config);
  EXPECT_TRUE(every.starts_with("carrack-launch 4\n")) << every;
  EXPECT_NE(every.find("checkpoint.everySeconds 300\ncheckpoint.everySteps -\n"
                       "checkpoint.keepLast 3\ncheckpoint.keepEverySteps 500\n"),
            std::string::npos)
      << every;
  config.checkpoint = {.folder = "out", .every_steps = 10, .resume = ""};
  EXPECT_TRUE(to_config_text(config).starts_with("carrack-launch 1\n"));
  config.checkpoint.every_seconds = 60;
  EXPECT_TRUE(to_config_text(config).starts_with("carrack-launch 4\n"));
  config.checkpoint = {.folder = "out", .resume = ""};
  EXPECT_TRUE(to_config_text(config).starts_with("carrack-launch 4\n")) << "checkpoints by time alone";
  config.checkpoint.on_taken = OnTaken::go_on;
  const std::string taken = to_config_text(config);
  EXPECT_TRUE(taken.starts_with("carrack-launch 9\n")) << taken;
  EXPECT_TRUE(taken.ends_with("checkpoint.resume \ncheckpoint.onTaken GoOn\n")) << taken;
  config.data.on_damage = OnDamage::skip;
  const std::string skipping = to_config_text(config);
  EXPECT_TRUE(skipping.starts_with("carrack-launch 10\n")) << skipping;
  EXPECT_NE(skipping.find("\ndata.onDamage skip\ndata.feature "), std::string::npos) << skipping;
  EXPECT_EQ(parse_config_text(skipping), config);
}

struct Broken {
  const char* name;
  std::function<void(Environment&, std::string&)> damage;
  const char* message;
};

void replace(std::string& text, const std::string& old, const std::string& other) {
  text.replace(text.find(old), old.size(), other);
}

const Broken broken[] = {
    {"OtherContract", [](Environment&, std::string& t) { replace(t, "launch 1", "launch 16"); },
     "the operator speaks contract 16, this trainer speaks 1 to 15; use the trainer image of the operator's release"},
    {"NewerThanItSays",
     [](Environment&, std::string& t) { replace(t, "data.feature", "data.stage skip 5\ndata.feature"); },
     "launch file, line 10: 'data.stage' is unknown to this trainer, or appears twice"},
    {"ImageNewerThanItSays",
     [](Environment&, std::string& t) {
       replace(t, "launch 1", "launch 2");
       replace(t, "float32 20000 x", "image 8 8 3 NHWC Whole 1 1 false 0 1 x");
     },
     "launch file, line 11: data.feature: cannot be 'image 8 8 3 NHWC Whole 1 1 false 0 1 x'"},
    {"ImageCutOff",
     [](Environment&, std::string& t) {
       replace(t, "launch 1", "launch 3");
       replace(t, "float32 20000 x", "image 8 8 3 NHWC Whole 1 1 false x");
     },
     "launch file, line 11: data.feature: cannot be 'image 8 8 3 NHWC Whole 1 1 false x'"},
    {"UnknownFeature",
     [](Environment&, std::string& t) {
       replace(t, "launch 1", "launch 3");
       replace(t, "float32 20000 x", "sound 8 x");
     },
     "launch file, line 11: data.feature: cannot be 'sound 8 x'"},
    {"ShapeNewerThanItSays",
     [](Environment&, std::string& t) {
       replace(t, "launch 1", "launch 4");
       replace(t, "float32 20000 x", "shaped float32 64,8 x");
     },
     "launch file, line 11: data.feature: cannot be 'shaped float32 64,8 x'"},
    {"BytesNewerThanItSays",
     [](Environment&, std::string& t) {
       replace(t, "launch 1", "launch 4");
       replace(t, "float32 20000 x", "uint8 20000 x");
     },
     "launch file, line 11: data.feature: cannot be 'uint8 20000 x'"},
    {"TextNewerThanItSays",
     [](Environment&, std::string& t) {
       replace(t, "launch 1", "launch 7");
       replace(t, "float32 20000 x", "text 5 20000 - x");
     },
     "launch file, line 11: data.feature: cannot be 'text 5 20000 - x'"},
    {"ShapeCutOff",
     [](Environment&, std::string& t) {
       replace(t, "launch 1", "launch 5");
       replace(t, "float32 20000 x", "shaped float32 64, x");
     },
     "launch file, line 11: data.feature: cannot be 'shaped float32 64, x'"},
    {"SetOfNoMix",
     [](Environment&, std::string& t) {
       replace(t, "launch 1", "launch 3");
       replace(t, "data.feature", "data.mix 1\ndata.mix.1.file a\ndata.feature");
     },
     "launch file, line 11: 'data.mix.1.file' is unknown to this trainer, or appears twice"},
    {"UnknownStage",
     [](Environment&, std::string& t) {
       replace(t, "launch 1", "launch 2");
       replace(t, "data.feature", "data.stage sort x\ndata.feature");
     },
     "launch file, line 10: data.stage: cannot be 'sort x'"},
    {"StageOfALaterVersion",
     [](Environment&, std::string& t) {
       replace(t, "launch 1", "launch 2");
       replace(t, "data.feature", "data.stage snapshot a\ndata.feature");
     },
     "launch file, line 10: data.stage: cannot be 'snapshot a'"},
    {"RetentionNewerThanItSays",
     [](Environment&, std::string& t) { replace(t, "checkpoint.resume", "checkpoint.keepLast 1\ncheckpoint.resume"); },
     "launch file, line 26: 'checkpoint.keepLast' is unknown to this trainer, or appears twice"},
    {"RetentionCutOff",
     [](Environment&, std::string& t) {
       replace(t, "launch 1", "launch 4");
       replace(t, "checkpoint.everySteps", "checkpoint.everySeconds 60\ncheckpoint.everySteps");
       replace(t, "checkpoint.resume", "checkpoint.keepLast 1\ncheckpoint.resume");
     },
     "launch file: has no 'checkpoint.keepEverySteps'"},
    {"TimeCutOff", [](Environment&, std::string& t) { replace(t, "launch 1", "launch 4"); },
     "launch file: has no 'checkpoint.everySeconds'"},
    {"NetworkOfALaterVersion",
     [](Environment&, std::string& t) {
       replace(t, "launch 1", "launch 4");
       replace(t, "model.kind LinearRegression", "model.kind Layers");
     },
     "launch file, line 5: model.kind: cannot be 'Layers'"},
    {"OwnModelOfALaterVersion",
     [](Environment&, std::string& t) {
       replace(t, "launch 1", "launch 10");
       replace(t, "model.kind LinearRegression", "model.kind Own");
     },
     "launch file, line 5: model.kind: cannot be 'Own'"},
    {"UnknownLayer",
     [](Environment&, std::string& t) {
       replace(t, "launch 1", "launch 5");
       replace(t, "model.kind LinearRegression", "model.kind Layers\nmodel.layer Convolution");
     },
     "launch file, line 6: model.layer: cannot be 'Convolution'"},
    {"LayerWithoutAField",
     [](Environment&, std::string& t) {
       replace(t, "launch 1", "launch 5");
       replace(t, "model.kind LinearRegression", "model.kind Layers\nmodel.layer Dense\nmodel.layer.0.name a");
     },
     "launch file: has no 'model.layer.0.units'"},
    {"NoModel", [](Environment&, std::string& t) { replace(t, "model.kind LinearRegression\n", ""); },
     "launch file: has no 'model.kind'"},
    {"StageCutOff",
     [](Environment&, std::string& t) {
       replace(t, "launch 1", "launch 2");
       replace(t, "data.feature", "data.stage shard 5\ndata.feature");
     },
     "launch file, line 10: data.stage: cannot be 'shard 5'"},
    {"NoVersion", [](Environment&, std::string& t) { replace(t, "carrack-launch 1\n", ""); },
     "launch file: has no 'carrack-launch'"},
    {"CutOff", [](Environment&, std::string& t) { t.pop_back(); },
     "launch file, line 26: does not end; the file is cut off"},
    {"NoValue", [](Environment&, std::string& t) { replace(t, "training.batch 64", "training.batch"); },
     "launch file, line 12: is not 'key value'"},
    {"NoNumber", [](Environment&, std::string& t) { replace(t, "batch 64", "batch 64x"); },
     "launch file, line 12: training.batch: cannot be '64x'"},
    {"UnknownWord", [](Environment&, std::string& t) { replace(t, "kind Adam", "kind Lion"); },
     "launch file, line 15: optimizer.kind: cannot be 'Lion'"},
    {"OptimizerOfALaterVersion", [](Environment&, std::string& t) { replace(t, "kind Adam", "kind Adagrad"); },
     "launch file, line 15: optimizer.kind: cannot be 'Adagrad'"},
    {"OneOfTwo", [](Environment&, std::string& t) { replace(t, "ps 2 2", "ps 2"); },
     "launch file, line 3: replicas.ps: cannot be '2'"},
    {"Unknown", [](Environment&, std::string& t) { t += "training.momentum 1\n"; },
     "launch file, line 27: 'training.momentum' is unknown to this trainer, or appears twice"},
    {"Twice", [](Environment&, std::string& t) { t += "training.seed 8\n"; },
     "launch file, line 27: 'training.seed' is unknown to this trainer, or appears twice"},
    {"Missing", [](Environment&, std::string& t) { replace(t, "training.seed 7\n", ""); },
     "launch file: has no 'training.seed'"},
    {"NotStartedByUs", [](Environment& e, std::string&) { e.erase("CARRACK_ROLE"); },
     "CARRACK_ROLE: is not set; processes of a job are started by Carrack"},
    {"NoRole", [](Environment& e, std::string&) { e["CARRACK_ROLE"] = "chief"; }, "CARRACK_ROLE: cannot be 'chief'"},
};

class LaunchFrom : public testing::TestWithParam<Broken> {};

TEST_P(LaunchFrom, SaysWhatIsBroken) {
  const Launch launch = some_launch();
  Environment environment = to_environment(launch);
  std::string text = to_config_text(launch.config);
  GetParam().damage(environment, text);
  try {
    parse_launch(environment, text);
    FAIL() << "was launched";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), GetParam().message);
  }
}

INSTANTIATE_TEST_SUITE_P(Broken, LaunchFrom, testing::ValuesIn(broken),
                         [](const auto& of) { return std::string(of.param.name); });

TEST(Launch, DoesNotWriteWhatItCouldNotRead) {
  Config config = some_launch().config;
  config.data.files = {"a\nstrategy Single"};
  try {
    to_config_text(config);
    FAIL() << "was written";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "data.file: must not contain a line break");
  }
}

}  // namespace
}  // namespace carrack::train
