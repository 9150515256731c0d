#include "operator/codec/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "operator/core/plan.h"
#include "tests/operator/core/scene.h"
#include "trainer/models/check.h"

namespace carrack::control {

std::ostream& operator<<(std::ostream& out, const Problem& problem) {
  return out << problem.field << ": " << problem.text;
}

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string manifest = R"(apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {name: line, labels: {team: sea}}
spec:
  strategy: ParameterServer
  replicas:
    ps: {count: 2}
    worker: {min: 1, max: 3}
  model: {kind: LinearRegression, input: x, target: "y"}
  data:
    train: {files: [data/*.tfrecord]}
    features:
      "y": {type: float32}
      x: {type: float32, size: 20000}
  training:
    batch: 64
    optimizer: {kind: Adam, learningRate: 1e-3}
  checkpoint: {folder: out, everySteps: 10}
)";

std::string with(const std::string& old, const std::string& other) {
  std::string text = manifest;
  return text.replace(text.find(old), old.size(), other);
}

TEST(Manifest, IsReadWithItsDefaults) {
  const DecodedJob job = decode_job(manifest);
  EXPECT_THAT(job.problems, IsEmpty());
  EXPECT_EQ(job.spec.name, "line");
  EXPECT_EQ(job.spec.config.ps, (train::Replicas{2, 2}));
  EXPECT_EQ(job.spec.config.workers, (train::Replicas{1, 3}));
  EXPECT_EQ(job.spec.config.data.features[0], (train::Feature{"x", train::FeatureType::float32, 20'000}));
  EXPECT_EQ(job.spec.config.training.optimizer, train::Optimizer(train::Adam{}));
  EXPECT_EQ(job.spec.config.training.lanes, 8);
  EXPECT_EQ(
      job.spec.config.checkpoint,
      (train::Checkpoint{.folder = "out", .every_seconds = 300, .every_steps = 10, .keep_last = 3, .resume = ""}));
  EXPECT_EQ(job.spec.run.drain, seconds(60));
  EXPECT_THAT(problems_in(job.spec, any_model), IsEmpty());
}

TEST(Manifest, TakesWholeNumbersHoweverTheyAreWritten) {
  EXPECT_EQ(decode_job(with("batch: 64", "batch: 1.5e3")).spec.config.training.batch, 1500);
}

TEST(Manifest, SaysWhatIsDoneWithRecords) {
  using namespace train;
  const auto stages = [](const std::string& list) {
    const DecodedJob job = decode_job(with("[data/*.tfrecord]", "[data/*.tfrecord], stages: " + list));
    EXPECT_THAT(job.problems, IsEmpty()) << list;
    EXPECT_THAT(problems_in(job.spec, any_model), IsEmpty()) << list;
    EXPECT_EQ(decode_job(to_yaml(job_node(job.spec))).spec, job.spec) << list;
    return job.spec.config.data.stages;
  };
  EXPECT_THAT(decode_job(manifest).spec.config.data.stages, ElementsAre(Stage(Shuffle{})));
  EXPECT_THAT(stages("[]"), IsEmpty());
  EXPECT_THAT(stages("[interleave: {}, skip: 3, take: 1e6, shard: {count: 4, index: 1}, repeat: 2]"),
              ElementsAre(Stage(Interleave{16, 1}), Stage(Skip{3}), Stage(Take{1'000'000}), Stage(Shard{4, 1}),
                          Stage(Repeat{2})));
  EXPECT_THAT(stages("[cache: {memory: 2Gi}, shuffle: {kind: Block, block: 512, window: 4}]"),
              ElementsAre(Stage(Cache{"2Gi"}), Stage(Shuffle{ShuffleKind::block, 512, 4})));
  EXPECT_THAT(stages("[filter: {feature: x, min: 0}, filter: {feature: x, min: -1.5, max: 9}, snapshot: {folder: /s}]"),
              ElementsAre(Stage(Filter{"x", 0, {}}), Stage(Filter{"x", -1.5, 9}), Stage(Snapshot{"/s"})));
}

TEST(Manifest, OfSingleNeedsNoReplicas) {
  const DecodedJob job =
      decode_job(with("  strategy: ParameterServer\n  replicas:\n    ps: {count: 2}\n    worker: {min: 1, max: 3}\n",
                      "  strategy: Single\n"));
  EXPECT_THAT(job.problems, IsEmpty());
  EXPECT_EQ(job.spec.config.ps, (train::Replicas{0, 0}));
  EXPECT_EQ(job.spec.config.workers, (train::Replicas{1, 1}));
  EXPECT_THAT(problems_in(job.spec, any_model), IsEmpty());
  EXPECT_EQ(to_json(job_node(job.spec)).find("\"ps\""), std::string::npos);
}

TEST(Manifest, HasACountOfWorkersAloneOrBetweenMinAndMax) {
  const auto workers = [](const std::string& worker) {
    const DecodedJob job = decode_job(with("{min: 1, max: 3}", worker));
    EXPECT_THAT(job.problems, IsEmpty());
    EXPECT_EQ(decode_job(to_yaml(job_node(job.spec))).spec, job.spec);
    return std::make_pair(job.spec.config.workers, job.spec.worker_count);
  };
  EXPECT_EQ(workers("{count: 2}"), std::make_pair(train::Replicas{2, 2}, std::optional<int>()));
  EXPECT_EQ(workers("{min: 1, max: 3}"), std::make_pair(train::Replicas{1, 3}, std::optional<int>()));
  EXPECT_EQ(workers("{count: 2, min: 1, max: 3}"), std::make_pair(train::Replicas{1, 3}, std::optional(2)));
  EXPECT_EQ(workers("{count: 3, min: 3, max: 3}"), std::make_pair(train::Replicas{3, 3}, std::optional(3)));
}

TEST(Manifest, SaysWhatThePodsOfARoleRequest) {
  const DecodedJob job = decode_job(
      with("    ps: {count: 2}\n",
           "    coordinator: {resources: {limits: {cpu: 500m, memory: 1e9}}}\n"
           "    ps: {resources: {requests: {cpu: 2, memory: 4Gi}, limits: {cpu: \"2.5\", example.com/device: 1}}}\n"));
  EXPECT_THAT(job.problems, IsEmpty());
  EXPECT_EQ(job.spec.config.ps, (train::Replicas{1, 1})) << "by default";
  EXPECT_EQ(job.spec.coordinator_pod.resources, (Resources{{}, {{"cpu", "500m"}, {"memory", "1000000000"}}}));
  EXPECT_EQ(job.spec.ps_pod.resources,
            (Resources{{{"cpu", "2"}, {"memory", "4Gi"}}, {{"cpu", "2.5"}, {"example.com/device", "1"}}}));
  EXPECT_EQ(job.spec.worker_pod, PodOptions());
  EXPECT_EQ(decode_job(to_yaml(job_node(job.spec))).spec, job.spec);
}

TEST(Manifest, KeepsAPodTemplateAsItIs) {
  const DecodedJob job = decode_job(
      with("ps: {count: 2}", "ps: {template: {metadata: {labels: {a: b}}, spec: {x: [1, 0.5, true, null, {w: z}]}}}"));
  EXPECT_THAT(job.problems, IsEmpty());
  ASSERT_TRUE(job.spec.ps_pod.pod_template.has_value());
  EXPECT_EQ(to_json(*job.spec.ps_pod.pod_template),
            R"({"metadata":{"labels":{"a":"b"}},"spec":{"x":[1,0.5,true,null,{"w":"z"}]}})");
  EXPECT_FALSE(job.spec.worker_pod.pod_template.has_value());
  EXPECT_EQ(decode_job(to_yaml(job_node(job.spec))).spec, job.spec);
}

TEST(Manifest, IsTheSameAfterEncodingAsYamlOrJson) {
  JobSpec spec = some_job(3, 5);
  spec.generation = 4;
  spec.run.suspend = true;
  spec.config.data.files = {"- [odd]: 'name'",
                            "123",
                            "true",
                            "null",
                            "~",
                            "a#b",
                            "gs://b/\"x\"",
                            "1e-3",
                            "a\r",
                            " b ",
                            "é",
                            "y",
                            "Off",
                            "0x10",
                            "1_0",
                            "+.inf"};
  spec.config.training.optimizer = train::Adam{1e-3, 0.5, 1.0 / 3, 1e-300};
  spec.config.checkpoint.keep_last = 7;
  spec.config.checkpoint.on_taken = train::OnTaken::replace;
  spec.config.checkpoint.every_seconds = 60;
  spec.config.checkpoint.keep_every_steps = 5'000;
  for (const std::string& text : {to_yaml(job_node(spec)), to_json(job_node(spec))}) {
    const DecodedJob job = decode_job(text);
    EXPECT_THAT(job.problems, IsEmpty()) << text;
    EXPECT_EQ(job.spec, spec) << text;
  }
}

struct BadText {
  const char* name;
  std::string text;
  std::vector<Problem> problems;
};

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

const BadText bad_texts[] = {
    {"UnknownField",
     with("batch: 64", "batch: 64\n    epoch: 3"),
     {{"spec.training.epoch", "is unknown; did you mean 'epochs'? (line 17)"}}},
    {"UnknownFieldLikeNoOther",
     "status: {}\nzzzzzz: 1\n" + manifest,
     {{"zzzzzz", "is unknown; there are apiVersion, kind, metadata, spec, status (line 2)"}}},
    {"WrongType",
     with("batch: 64", "batch: '64'"),
     {{"spec.training.batch", "is text; must be a whole number (line 16)"}}},
    {"Fraction",
     with("batch: 64", "batch: 6.4"),
     {{"spec.training.batch", "is 6.4; must be a whole number (line 16)"}}},
    {"TooLarge",
     with("count: 2", "count: 3000000000"),
     {{"spec.replicas.ps.count", "is 3000000000; must be from -2147483648 to 2147483647 (line 7)"}}},
    {"Missing", with("    batch: 64\n", ""), {{"spec.training.batch", "is missing (line 16)"}}},
    {"UnknownWord",
     with("kind: Adam", "kind: Adan"),
     {{"spec.training.optimizer.kind",
       "'Adan' is unknown; there are SGD, Adam, AdamW, Adagrad, RMSProp; did you mean 'Adam'? (line 17)"}}},
    {"EmptyWord",
     with("batch: 64", "batch: 64\n    consistency: ''"),
     {{"spec.training.consistency", "'' is unknown; there are Sync, Async (line 17)"}}},
    {"FieldOfAnotherKind",
     with("kind: Adam,", "kind: SGD, beta1: 0.9,"),
     {{"spec.training.optimizer.beta1", "is unknown; there are kind, learningRate, momentum, nesterov (line 17)"}}},
    {"CountAndMin",
     with("ps: {count: 2}", "ps: {count: 2, max: 2}"),
     {{"spec.replicas.ps.max", "is unknown; there are count, resources, template (line 7)"}}},
    {"CountAndMaxOfWorkers", with("min: 1", "count: 1"), {{"spec.replicas.worker.min", "is missing (line 8)"}}},
    {"UnknownStage",
     with("[data/*.tfrecord]", "[a], stages: [{shufle: {}}]"),
     {{"spec.data.train.stages[0].shufle", "is unknown; did you mean 'shuffle'? (line 11)"}}},
    {"StageOfNothing",
     with("[data/*.tfrecord]", "[a], stages: [{}]"),
     {{"spec.data.train.stages[0]",
       "is not a stage; there are interleave, shard, skip, take, shuffle, repeat, cache, filter, snapshot (line 11)"}}},
    {"TwoStagesInOne",
     with("[data/*.tfrecord]", "[a], stages: [{skip: 1, take: 2}]"),
     {{"spec.data.train.stages[0]", "is more than one stage; write each as an entry of its own (line 11)"}}},
    {"StageByItsNameAlone",
     with("[data/*.tfrecord]", "[a], stages: [shuffle]"),
     {{"spec.data.train.stages[0]", "is text; must be an object (line 11)"}}},
    {"UnknownShuffle",
     with("[data/*.tfrecord]", "[a], stages: [shuffle: {kind: Buffer, buffer: 10}]"),
     {{"spec.data.train.stages[0].shuffle.kind", "'Buffer' is unknown; there are ByPlace, Full, Block (line 11)"},
      {"spec.data.train.stages[0].shuffle.buffer", "is unknown; there are kind, block, window (line 11)"}}},
    {"FilterOfNothing",
     with("[data/*.tfrecord]", "[a], stages: [filter: {minimum: 0}, snapshot: {}]"),
     {{"spec.data.train.stages[0].filter.feature", "is missing (line 11)"},
      {"spec.data.train.stages[0].filter.minimum", "is unknown; there are feature, min, max (line 11)"},
      {"spec.data.train.stages[1].snapshot.folder", "is missing (line 11)"}}},
    {"OtherObject", with("kind: TrainingJob", "kind: TFJob"), {{"kind", "is 'TFJob'; must be TrainingJob (line 2)"}}},
    {"OtherObjectWithOtherFields",
     "apiVersion: batch/v1\nkind: Job\nmetadata: {}\nspec: {template: {}}\n",
     {{"apiVersion", "is 'batch/v1'; must be carrack.dev/v1alpha1 (line 1)"},
      {"kind", "is 'Job'; must be TrainingJob (line 2)"}}},
    {"ObjectOfKubeflow",
     "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}\nspec: {pytorchReplicaSpecs: {}}\n",
     {{"kind", "is 'PyTorchJob' of Kubeflow; `carrack convert` makes a TrainingJob of it (line 1)"}}},
    {"NoName", with("name: line, ", ""), {{"metadata.name", "is missing (line 3)"}}},
    {"ListForObject",
     with("model: {kind: LinearRegression, input: x, target: \"y\"}", "model: []"),
     {{"spec.model", "is a list; must be an object (line 9)"}}},
    {"NoInKubectl",
     with("target: \"y\"", "target: y"),
     {{"manifest", "line 9: 'y' is true to kubectl; write true, or text in quotes"}}},
    {"NoInKubectlAsName",
     with("      x: {", "      No: {"),
     {{"manifest", "line 14: 'No' is false to kubectl; write false, or text in quotes"}}},
    {"TruthInKubectl",
     with("batch: 64", "batch: 64\n    deterministic: True"),
     {{"manifest", "line 17: 'True' is true to kubectl; write true, or text in quotes"}}},
    {"TruthInQuotes",
     with("batch: 64", "batch: 64\n    deterministic: 'yes'"),
     {{"spec.training.deterministic", "is text; must be true or false, without quotes (line 17)"}}},
    {"NumberForTruth",
     with("batch: 64", "batch: 64\n    deterministic: 1"),
     {{"spec.training.deterministic", "is a whole number; must be true or false (line 17)"}}},
    {"OctalInKubectl",
     with("batch: 64", "batch: 064"),
     {{"manifest", "line 16: '064' is another value to kubectl; write text in quotes"}}},
    {"ThousandInKubectl",
     with("batch: 64", "batch: 1_000"),
     {{"manifest", "line 16: '1_000' is another value to kubectl; write text in quotes"}}},
    {"InfinityInKubectl",
     with("learningRate: 1e-3", "learningRate: -.Inf"),
     {{"manifest", "line 17: '-.Inf' is another value to kubectl; write text in quotes"}}},
    {"UnknownWordThatIsNoTypo",
     with("kind: Adam", "kind: Lion"),
     {{"spec.training.optimizer.kind", "'Lion' is unknown; there are SGD, Adam, AdamW, Adagrad, RMSProp (line 17)"}}},
    {"MovedRequests",
     with("count: 2", "count: 2, requests: {cpu: 1}"),
     {{"spec.replicas.ps.requests", "is now resources.requests (line 7)"}}},
    {"ResourcesThatAreNoObject",
     with("count: 2", "count: 2, resources: {limits: 4Gi}"),
     {{"spec.replicas.ps.resources.limits", "is text; must be an object with a field for each resource (line 7)"}}},
    {"AnAmountThatIsNoWholeNumber",
     with("count: 2", "count: 2, resources: {limits: {cpu: 0.5}}"),
     {{"spec.replicas.ps.resources.limits.cpu", "is a number; must be text (line 7)"}}},
    {"ListWithoutItsEnd",
     with("[data/*.tfrecord]", "[data/*.tfrecord"),
     {{"manifest", "line 11: is not valid YAML: a ] or } does not match the [ or { before it"}}},
    {"QuoteWithoutEnd",
     "apiVersion: carrack.dev/v1alpha1\nkind: \"TrainingJob\n",
     {{"manifest", "line 2: is not valid YAML: a quote that begins here or above has no end"}}},
    {"Outdented",
     with("    batch: 64", "   batch: 64"),
     {{"manifest",
       "line 17: is not valid YAML: a ':' is misplaced; check the indentation here and in the line above"}}},
    {"Tabs",
     with("    batch", "\t\tbatch"),
     {{"manifest", "line 16: is indented with a tab; YAML allows only blanks"}}},
    {"Twice",
     with("batch: 64", "batch: 64\n    batch: 32"),
     {{"manifest", "line 16: 'batch' appears twice in one object"}}},
    {"TwoDocuments",
     manifest + "---\n" + manifest,
     {{"manifest", "holds more than one document, or a stray character; give one object"}}},
    {"OfAnotherVersion",
     "%YAML 1.2\n---\n" + manifest,
     {{"manifest", "line 1: kubectl reads YAML 1.1 only; leave this line out"}}},
    {"StraySign",
     "," + manifest,
     {{"manifest", "holds more than one document, or a stray character; give one object"}}},
    {"NoUtf8", "a: \xff", {{"manifest", "is not UTF-8 text"}}},
    {"Surrogate", "a: \xed\xa0\x80", {{"manifest", "is not UTF-8 text"}}},
    {"CutUtf8", "a: \xe2\x82", {{"manifest", "is not UTF-8 text"}}},
    {"Empty", "", {{"manifest", "is empty; give one object"}}},
    {"CutJson", "{\"kind\": \"Train", {{"manifest", "is not valid JSON after 16 bytes"}}},
    {"JsonTwice", "{\"a\": 1, \"b\": 2, \"a\": 3}", {{"manifest", "'a' appears twice in one object"}}},
    {"DeepJson", "{\"a\": " + nested(100'000) + "}", {{"manifest", "is nested deeper than 64 levels"}}},
    {"DeepYaml", "a: " + nested(100), {{"manifest", "line 1: is nested deeper than 64 levels"}}},
    {"Laughs",
     "a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
     "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
     "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n",
     {{"manifest", "line 1: holds more than 200000 values"}}},
    {"Large", std::string(max_document_bytes + 1, ' '), {{"manifest", "has more than 1048576 bytes"}}},
};

class Unfit : public testing::TestWithParam<BadText> {};

TEST_P(Unfit, SaysWhatIsWrongAndWhere) {
  const DecodedJob job = decode_job(GetParam().text);
  for (const Problem& problem : GetParam().problems) EXPECT_THAT(job.problems, testing::Contains(problem));
}

INSTANTIATE_TEST_SUITE_P(Texts, Unfit, testing::ValuesIn(bad_texts),
                         [](const auto& of) { return std::string(of.param.name); });

TEST(Manifest, ListsAllItsProblemsNotTheFirst) {
  const DecodedJob job = decode_job(with("batch: 64", "bacth: 64\n    lanes: many"));
  EXPECT_THAT(job.problems, ElementsAre(Problem{"spec.training.batch", "is missing (line 16)"},
                                        Problem{"spec.training.lanes", "is text; must be a whole number (line 17)"},
                                        Problem{"spec.training.bacth", "is unknown; did you mean 'batch'? (line 16)"}));
}

TEST(Manifest, KnowsTheLinesOfFieldsWithBadValues) {
  const DecodedJob job = decode_job(with("x: {type", "x.y: {type"));
  const auto lines = [&](const std::string& field) { return with_places({{field, "is bad"}}, job.document)[0].text; };
  EXPECT_EQ(lines("spec.training.batch"), "is bad (line 16)");
  EXPECT_EQ(lines("spec.data.train.files[0]"), "is bad (line 11)");
  EXPECT_EQ(lines("spec.data.features.x.y.size"), "is bad (line 14)");
  EXPECT_EQ(lines("spec.data.train.files[7]"), "is bad (line 11)") << "the line of the list";
  EXPECT_EQ(lines("status.attempt"), "is bad");
  EXPECT_EQ(place_of(std::get<Node>(parse_json("{\"spec\": {}}")), "spec"), "") << "JSON has no lines";
}

// Seeded, so that a failure repeats.
TEST(Manifest, TurnsAnyBytesIntoProblemsOrAJob) {
  std::mt19937 random(7);
  const std::string json = to_json(job_node(decode_job(manifest).spec));
  for (int round = 0; round < 4'000; ++round) {
    std::string text = round % 2 == 0 ? manifest : json;
    for (auto edits = 1 + random() % 5; edits > 0; --edits) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, 1 + random() % 20);
          break;
        case 2:
          text.insert(at, text.substr(random() % text.size(), random() % 30));
          break;
        default:
          text.insert(at, 1, "{}[]:,-&*!|>'\"%@`#?\n\t "[random() % 23]);
      }
      if (text.empty()) text = " ";
    }
    const DecodedJob job = decode_job(text);
    if (!job.problems.empty()) continue;
    EXPECT_EQ(decode_job(to_yaml(job_node(job.spec))).spec, job.spec) << text;
  }
}

TEST(Examples, AreEachAValidJobWithAPlan) {
  int examples = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CARRACK_EXAMPLES)) {
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const DecodedJob job = decode_job(text.str());
    EXPECT_THAT(job.problems, IsEmpty()) << entry.path();
    EXPECT_THAT(problems_in(job.spec, any_model), IsEmpty()) << entry.path();
    const bool is_of_trainer = !job.spec.own;
    if (is_of_trainer) {
      EXPECT_THAT(train::problems_in(job.spec.config), IsEmpty()) << entry.path();
    }
    EXPECT_THAT(members_of(job.spec), Not(IsEmpty())) << entry.path();
    ++examples;
  }
  EXPECT_GE(examples, 3);
}

}  // namespace
}  // namespace carrack::control
