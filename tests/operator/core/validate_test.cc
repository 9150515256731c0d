#include "operator/core/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/operator/core/scene.h"

namespace carrack::control {

std::ostream& operator<<(std::ostream& out, const Problem& problem) {
  return out << problem.field << ": " << problem.text;
}

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using namespace train;

struct BadSpec {
  const char* name;
  std::function<void(JobSpec&)> spoil;
  std::vector<Problem> problems;
};

constexpr const char* snapshot_first =
    "a snapshot can only be the first stage, or the first after filters; put all others after it";

const BadSpec bad_specs[] = {
    {"OptionsOfARoleThatSingleDoesNotHave",
     [](JobSpec& s) {
       s.config.strategy = Strategy::single;
       s.config.ps = {};
       s.config.workers = {1, 1};
       s.coordinator_pod.resources.requests = s.ps_pod.resources.requests = {{"cpu", "1"}};
     },
     {{"spec.replicas.ps", "Single has no parameter servers; leave it out"},
      {"spec.replicas.coordinator", "Single has no coordinator of its own; leave it out"}}},
    {"TemplatesOfEachRole",
     [](JobSpec& s) { s.coordinator_pod.pod_template = s.ps_pod.pod_template = s.worker_pod.pod_template = Node(); },
     {{"spec.replicas.coordinator.template", "is empty; must be an object"},
      {"spec.replicas.ps.template", "is empty; must be an object"},
      {"spec.replicas.worker.template", "is empty; must be an object"}}},
    {"ResourcesOfEachRole",
     [](JobSpec& s) {
       s.coordinator_pod.resources.requests = s.ps_pod.resources.limits =
           s.worker_pod.resources.requests = {{"cpu", "x"}};
     },
     {{"spec.replicas.coordinator.resources.requests.cpu", "'x' is not a quantity of processors; write 2, 0.5 or 500m"},
      {"spec.replicas.ps.resources.limits.cpu", "'x' is not a quantity of processors; write 2, 0.5 or 500m"},
      {"spec.replicas.worker.resources.requests.cpu", "'x' is not a quantity of processors; write 2, 0.5 or 500m"}}},
    {"Stages",
     [](JobSpec& s) {
       s.config.data.stages = {Shuffle{ShuffleKind::block, -1, 0},
                               Interleave{0, 0},
                               Shard{2, 2},
                               Shard{0, 0},
                               Skip{-1},
                               Take{0},
                               Repeat{0},
                               Cache{""}};
     },
     {{"spec.data.train.stages[0].shuffle.block", "is -1; must be from 0 to 1000000000"},
      {"spec.data.train.stages[0].shuffle.window", "is 0; must be from 1 to 1000000"},
      {"spec.data.train.stages[1].interleave.cycle", "is 0; must be from 1 to 1000000"},
      {"spec.data.train.stages[1].interleave.block", "is 0; must be from 1 to 1000000000"},
      {"spec.data.train.stages[2].shard", "index is not below count; shards count from 0"},
      {"spec.data.train.stages[3].shard.count", "is 0; must be from 1 to 1000000000"},
      {"spec.data.train.stages[4].skip", "is -1; must be from 0 to 1000000000000000"},
      {"spec.data.train.stages[5].take", "is 0; must be from 1 to 1000000000000000"},
      {"spec.data.train.stages[6].repeat", "is 0; must be from 1 to 1000000000"},
      {"spec.data.train.stages[7].cache.memory", "'' is not a quantity of memory; write 512Mi or 4Gi"},
      {"spec.data.train.stages",
       "interleave works on files; it can only be the first stage, or the first after a snapshot"}}},
    {"Filters",
     [](JobSpec& s) {
       s.config.data.features.push_back({"number", FeatureType::int64, 3});
       s.config.data.stages = {Filter{"z", 0, {}},
                               Filter{"x", {}, {}},
                               Filter{"x", 1, 0},
                               Filter{"x", -std::numeric_limits<double>::infinity(), std::nan("")},
                               Filter{"number", -1e16, 9007199254740994},
                               Filter{"number", -9007199254740992, 9007199254740992},
                               Snapshot{"s3://b/c"}};
     },
     {{"spec.data.train.stages[0].filter.feature", "'z' is not a feature; spec.data.features has x, y, number"},
      {"spec.data.train.stages[1].filter", "has no bound; give min, max or both"},
      {"spec.data.train.stages[2].filter", "min is above max; nothing lies between them"},
      {"spec.data.train.stages[3].filter", "min is above max; nothing lies between them"},
      {"spec.data.train.stages[3].filter.min", "is not a number; leave it out for no bound"},
      {"spec.data.train.stages[3].filter.max", "is not a number; leave it out for no bound"},
      {"spec.data.train.stages[4].filter.min",
       "is -1e+16; for an int64 feature it must be from -9007199254740992 to 9007199254740992"},
      {"spec.data.train.stages[4].filter.max",
       "is 9007199254740994; for an int64 feature it must be from -9007199254740992 to 9007199254740992"},
      {"spec.data.train.stages[6].snapshot.folder", "'s3://' cannot be read; there are file:// and gs://"}}},
    {"FilterWithoutASnapshot",
     [](JobSpec& s) {
       s.config.data.stages = {Filter{"x", 0, {}}, Shuffle{}};
     },
     {{"spec.data.train.stages",
       "a filter needs a snapshot after it, as the number of records that it keeps is not known before they are "
       "read"}}},
    {"FilterBehindTheSnapshot",
     [](JobSpec& s) {
       s.config.data.stages = {Snapshot{"/s"}, Filter{"x", 0, {}}};
     },
     {{"spec.data.train.stages", snapshot_first}}},
    {"StageBeforeTheSnapshot",
     [](JobSpec& s) {
       s.config.data.stages = {Filter{"x", 0, {}}, Take{5}, Snapshot{"/s"}};
     },
     {{"spec.data.train.stages", snapshot_first}}},
    {"TwoSnapshots",
     [](JobSpec& s) {
       s.config.data.stages = {Snapshot{"/s"}, Snapshot{"/t"}};
     },
     {{"spec.data.train.stages", "there can be one snapshot"}}},
    {"InterleaveBeforeTheSnapshot",
     [](JobSpec& s) {
       s.config.data.stages = {Interleave{}, Snapshot{"/s"}};
     },
     {{"spec.data.train.stages", snapshot_first},
      {"spec.data.train.stages",
       "interleave works on files; it can only be the first stage, or the first after a snapshot"}}},
    {"TooManyStages",
     [](JobSpec& s) { s.config.data.stages.assign(51, Skip{1}); },
     {{"spec.data.train.stages", "names 51 stages; at most 50"}}},
    {"SingleWithServers",
     [](JobSpec& s) {
       s.config.strategy = Strategy::single, s.config.workers = {1, 1};
     },
     {{"spec.replicas.ps", "Single has no parameter servers; leave it out"}}},
    {"SingleWithWorkers",
     [](JobSpec& s) {
       s.config.strategy = Strategy::single, s.config.ps = {}, s.config.workers = {1, 2};
     },
     {{"spec.replicas.worker", "Single is one process; leave it out, or use strategy ParameterServer"}}},
    {"NoServer",
     [](JobSpec& s) {
       s.config.ps = {0, 0};
     },
     {{"spec.replicas.ps", "min is 0; must be at least 1"}}},
    {"ElasticServers",
     [](JobSpec& s) {
       s.config.ps = {1, 2};
     },
     {{"spec.replicas.ps", "min and max differ; parameter servers do not scale while a job runs, give count"}}},
    {"FewerThanMin",
     [](JobSpec& s) {
       s.config.workers = {3, 2};
     },
     {{"spec.replicas.worker", "max is 2, below min 3"}}},
    {"CountAboveMax",
     [](JobSpec& s) {
       s.config.workers = {2, 3};
       s.worker_count = 4;
     },
     {{"spec.replicas.worker.count", "is 4; must be from 2 to 3"}}},
    {"CountBelowMin",
     [](JobSpec& s) {
       s.config.workers = {2, 3};
       s.worker_count = 1;
     },
     {{"spec.replicas.worker.count", "is 1; must be from 2 to 3"}}},
    {"TooMany",
     [](JobSpec& s) {
       s.config.ps = {1001, 1001};
     },
     {{"spec.replicas.ps", "is 1001; must be at most 1000"}}},
    {"Name",
     [](JobSpec& s) { s.name = "Line_1"; },
     {{"metadata.name",
       "'Line_1' is not a DNS label: a lower-case letter, then lower-case letters, digits and '-', at most 63"}}},
    {"NoFiles", [](JobSpec& s) { s.config.data.files.clear(); }, {{"spec.data.train", "needs either files or mix"}}},
    {"ManyFiles",
     [](JobSpec& s) { s.config.data.files.assign(1001, "a"); },
     {{"spec.data.train.files", "names 1001 files; at most 1000, use *"}}},
    {"LongFile",
     [](JobSpec& s) { s.config.data.files = {std::string(2049, 'a')}; },
     {{"spec.data.train.files[0]", "has more than 2048 characters"}}},
    {"NoFeatures",
     [](JobSpec& s) { s.config.data.features.clear(); },
     {{"spec.data.features", "is empty; list the features of the records"}}},
    {"ManyFeatures",
     [](JobSpec& s) {
       s.config.data.features.resize(1001, {"x", FeatureType::float32, 1});
     },
     {{"spec.data.features", "names 1001 features; at most 1000"}}},
    {"LongName",
     [](JobSpec& s) { s.config.data.features[0].name = std::string(257, 'a'); },
     {{"spec.data.features", "a name is empty, has more than 256 characters, or holds control characters"}}},
    {"FeatureOfNothing",
     [](JobSpec& s) { s.config.data.features[1].size = 0; },
     {{"spec.data.features.y.size", "is 0; must be at least 1"}}},
    {"UnknownScheme",
     [](JobSpec& s) {
       s.config.data.files = {"gs://b/a", "hdfs://b/a"};
     },
     {{"spec.data.train.files[1]", "'hdfs://' cannot be read; there are file:// and gs://"}}},
    {"LineBreak",
     [](JobSpec& s) { s.config.data.files = {"a\nb"}; },
     {{"spec.data.train.files[0]", "holds control characters"}}},
    {"Batch",
     [](JobSpec& s) { s.config.training.batch = 0; },
     {{"spec.training.batch", "is 0; must be from 1 to 2147483647"}}},
    {"LargeBatch",
     [](JobSpec& s) { s.config.training.batch = 2'147'483'648; },
     {{"spec.training.batch", "is 2147483648; must be from 1 to 2147483647"}}},
    {"Epochs",
     [](JobSpec& s) { s.config.training.epochs = 0; },
     {{"spec.training.epochs", "is 0; must be at least 1"}}},
    {"Seed", [](JobSpec& s) { s.config.training.seed = -3; }, {{"spec.training.seed", "is -3; must be at least 0"}}},
    {"Lanes",
     [](JobSpec& s) { s.config.training.lanes = 12; },
     {{"spec.training.lanes", "is 12; must be a power of two up to 65536"}}},
    {"ManyLanes",
     [](JobSpec& s) { s.config.training.lanes = 131'072; },
     {{"spec.training.lanes", "is 131072; must be a power of two up to 65536"}}},
    {"MoreWorkersThanLanes",
     [](JobSpec& s) { s.config.training.lanes = 1; },
     {{"spec.training.lanes",
       "is 1, below the 2 workers of spec.replicas.worker; each needs a lane, and by default there are 8"}}},
    {"MoreGpusThanLanes",
     [](JobSpec& s) { s.config.training.deterministic = true, s.config.training.lanes = 2, s.config.worker_gpus = 2; },
     {{"spec.training.lanes",
       "is 2, below the 4 GPUs of all workers, and with deterministic a GPU computes whole lanes; set more lanes, or "
       "request fewer GPUs"}}},
    {"DeterministicAsync",
     [](JobSpec& s) { s.config.training.deterministic = true, s.config.training.consistency = Consistency::async; },
     {{"spec.training.deterministic", "is not possible with consistency Async; use Sync"}}},
    {"Rate",
     [](JobSpec& s) { s.config.training.optimizer = Sgd{0}; },
     {{"spec.training.optimizer.learningRate", "is 0; must be from 1e-30 to 1e+30"}}},
    {"RateThatNoFloatHolds",
     [](JobSpec& s) { s.config.training.optimizer = Sgd{1e300}; },
     {{"spec.training.optimizer.learningRate", "is 1e+300; must be from 1e-30 to 1e+30"}}},
    {"RateThatIsNone",
     [](JobSpec& s) { s.config.training.optimizer = Sgd{std::nan("")}; },
     {{"spec.training.optimizer.learningRate", "is nan; must be from 1e-30 to 1e+30"}}},
    {"Betas",
     [](JobSpec& s) {
       s.config.training.optimizer = Adam{0.1, 1.0, -0.1, 0};
     },
     {{"spec.training.optimizer.beta1", "is 1; must be at least 0 and less than 1"},
      {"spec.training.optimizer.beta2", "is -0.1; must be at least 0 and less than 1"},
      {"spec.training.optimizer.epsilon", "is 0; must be from 1e-30 to 1e+30"}}},
    {"Momentum",
     [](JobSpec& s) {
       s.config.training.optimizer = Sgd{0.1, 1};
     },
     {{"spec.training.optimizer.momentum", "is 1; must be at least 0 and less than 1"}}},
    {"NesterovWithoutMomentum",
     [](JobSpec& s) {
       s.config.training.optimizer = Sgd{0.1, 0, true};
     },
     {{"spec.training.optimizer.nesterov", "needs a momentum above 0"}}},
    {"RmsProp",
     [](JobSpec& s) {
       s.config.training.optimizer = RmsProp{0.1, 1, 0};
     },
     {{"spec.training.optimizer.rho", "is 1; must be at least 0 and less than 1"},
      {"spec.training.optimizer.epsilon", "is 0; must be from 1e-30 to 1e+30"}}},
    {"WeightDecay",
     [](JobSpec& s) {
       s.config.training.optimizer = AdamW{0.1, 1, 0.9, 1e300, -0.1};
     },
     {{"spec.training.optimizer.beta1", "is 1; must be at least 0 and less than 1"},
      {"spec.training.optimizer.epsilon", "is 1e+300; must be from 1e-30 to 1e+30"},
      {"spec.training.optimizer.weightDecay", "is -0.1; must be from 0 to 1e+06"}}},
    {"Adagrad",
     [](JobSpec& s) {
       s.config.training.optimizer = Adagrad{0, -1, 0};
     },
     {{"spec.training.optimizer.learningRate", "is 0; must be from 1e-30 to 1e+30"},
      {"spec.training.optimizer.initialAccumulator", "is -1; must be from 0 to 1e+06"},
      {"spec.training.optimizer.epsilon", "is 0; must be from 1e-30 to 1e+30"}}},
    {"Schedule",
     [](JobSpec& s) {
       s.config.training.schedule = {ScheduleKind::linear, 0, 1.5, -1};
     },
     {{"spec.training.schedule.warmupSteps", "is -1; must be at least 0"},
      {"spec.training.schedule.steps", "is 0; must be at least 1"},
      {"spec.training.schedule.final", "is 1.5; must be from 0 to 1"}}},
    {"ScheduleOfAWarmUpAlone",
     [](JobSpec& s) {
       s.config.training.schedule = {ScheduleKind::exponential, 10, 0, 10};
     },
     {{"spec.training.schedule.steps", "is 10; must be above warmupSteps, as it counts the warm-up, too"},
      {"spec.training.schedule.final",
       "is 0, which an exponential decay does not reach; give a fraction above 0, such as 0.01"}}},
    {"ClipOfNothing",
     [](JobSpec& s) { s.config.training.clip = Clip{}; },
     {{"spec.training.clip", "limits nothing; give value, norm or both"}}},
    {"Clip",
     [](JobSpec& s) { s.config.training.clip = Clip{.value = 0, .norm = -1}; },
     {{"spec.training.clip.value", "is 0; must be from 1e-30 to 1e+30"},
      {"spec.training.clip.norm", "is -1; must be from 1e-30 to 1e+30"}}},
    {"Groups",
     [](JobSpec& s) {
       s.config.training.groups = {{{}, -1, 0, false}, {{"w", "", "a\nb"}, 1e7, -1, true}};
     },
     {{"spec.training.groups[0].tensors", "names 0 tensors; must name from 1 to 100"},
      {"spec.training.groups[0].learningRateScale", "is -1; must be from 0 to 1e+06"},
      {"spec.training.groups[0].weightDecay",
       "only AdamW decays weights; use it as spec.training.optimizer.kind, or leave this out"},
      {"spec.training.groups[1].tensors[1]", "is empty, has more than 256 characters, or holds control characters"},
      {"spec.training.groups[1].tensors[2]", "is empty, has more than 256 characters, or holds control characters"},
      {"spec.training.groups[1].learningRateScale", "is 1e+07; must be from 0 to 1e+06"},
      {"spec.training.groups[1].weightDecay", "is -1; must be from 0 to 1e+06"},
      {"spec.training.groups[1].weightDecay",
       "only AdamW decays weights; use it as spec.training.optimizer.kind, or leave this out"}}},
    {"TooManyGroups",
     [](JobSpec& s) { s.config.training.groups.assign(101, {.tensors = {"w"}}); },
     {{"spec.training.groups", "names 101 groups; at most 100"}}},
    {"InitialWeights",
     [](JobSpec& s) {
       s.config.training.initial_weights =
           InitialWeights{"s3://b/w", {}, {{"w", std::string(513, 'x'), false}, {"b", "a\nb", false}}};
       s.config.checkpoint.resume = "gs://b/other";
     },
     {{"spec.training.initialWeights.from", "'s3://' cannot be read; there are file:// and gs://"},
      {"spec.training.initialWeights.tensors", "names 0 tensors; must name from 1 to 100"},
      {"spec.training.initialWeights.names[0].storedAs", "has more than 512 characters, or holds control characters"},
      {"spec.training.initialWeights.names[1].storedAs", "has more than 512 characters, or holds control characters"},
      {"spec.training.initialWeights",
       "a job that resumes another one has its weights; leave out this or spec.checkpoint.resume"}}},
    {"TooManyNamesOfInitialWeights",
     [](JobSpec& s) {
       s.config.training.initial_weights = InitialWeights{"w", {""}, std::vector<StoredName>(1001)};
     },
     {{"spec.training.initialWeights.tensors[0]",
       "is empty, has more than 256 characters, or holds control characters"},
      {"spec.training.initialWeights.names", "has 1001 names; at most 1000"}}},
    {"NoFolder",
     [](JobSpec& s) { s.config.checkpoint.folder = ""; },
     {{"spec.checkpoint.folder", "is empty; give a path, file:// or gs://"}}},
    {"FolderWithAnUnknownPlaceholder",
     [](JobSpec& s) { s.config.checkpoint.folder = "out/$(NAME)/$(DATE)"; },
     {{"spec.checkpoint.folder", "has a $( that begins neither $(NAME) nor $(UID)"}}},
    {"EverySteps",
     [](JobSpec& s) { s.config.checkpoint.every_steps = 0; },
     {{"spec.checkpoint.everySteps", "is 0; must be at least 1"}}},
    {"NoTimeBetweenCommits",
     [](JobSpec& s) { s.config.checkpoint.every_seconds = 0; },
     {{"spec.checkpoint.everySeconds", "is 0; must be from 1 to 31536000"}}},
    {"MoreThanAYearBetweenCommits",
     [](JobSpec& s) { s.config.checkpoint.every_seconds = 31'536'001; },
     {{"spec.checkpoint.everySeconds", "is 31536001; must be from 1 to 31536000"}}},
    {"NoCommitThatStays",
     [](JobSpec& s) { s.config.checkpoint.keep_last = 0, s.config.checkpoint.keep_every_steps = 0; },
     {{"spec.checkpoint.keepLast", "is 0; must be from 1 to 1000000"},
      {"spec.checkpoint.keepEverySteps", "is 0; must be at least 1"}}},
    {"TooManyCommitsThatStay",
     [](JobSpec& s) { s.config.checkpoint.keep_last = 1'000'001, s.config.checkpoint.keep_every_steps = -5; },
     {{"spec.checkpoint.keepLast", "is 1000001; must be from 1 to 1000000"},
      {"spec.checkpoint.keepEverySteps", "is -5; must be at least 1"}}},
    {"ResumeFromItself",
     [](JobSpec& s) { s.config.checkpoint.resume = "out"; },
     {{"spec.checkpoint.resume", "is spec.checkpoint.folder; a job's own restarts always resume, leave it out"}}},
};

class Validate : public testing::TestWithParam<BadSpec> {};

TEST_P(Validate, SaysWhatIsWrongAndWhatToDo) {
  JobSpec spec = some_job();
  GetParam().spoil(spec);
  EXPECT_THAT(problems_in(spec, any_model), testing::ElementsAreArray(GetParam().problems));
}

INSTANTIATE_TEST_SUITE_P(BadSpecs, Validate, testing::ValuesIn(bad_specs),
                         [](const auto& of) { return std::string(of.param.name); });

TEST(ValidateGood, FindsNothingInAValidJob) {
  EXPECT_THAT(problems_in(some_job(), any_model), IsEmpty());
}

TEST(ValidateGood, CountsCharactersOfNamesNotBytes) {
  JobSpec spec = some_job();
  spec.config.data.features[0].name.clear();
  for (int i = 0; i < 256; ++i) spec.config.data.features[0].name += "é";
  EXPECT_THAT(problems_in(spec, any_model), IsEmpty());
}

TEST(ValidateModel, AsksForTheModelOfThisJobAndKeepsTheAnswerBesideAllOther) {
  const ModelCheck check = [](const Config& config) {
    return std::vector<Problem>{{"spec.model.input", "cannot be " + std::get<LinearRegression>(config.model).input}};
  };
  JobSpec spec = some_job();
  spec.config.training.batch = 0;
  EXPECT_THAT(problems_in(spec, check),
              ElementsAre(Problem{"spec.model.input", "cannot be x"},
                          Problem{"spec.training.batch", "is 0; must be from 1 to 2147483647"}));
}

}  // namespace
}  // namespace carrack::control
