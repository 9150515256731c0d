// What a manifest says of data and makes no sense.
#include "operator/core/validate_data.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using namespace train;

struct Spoilt {
  const char* name;
  std::function<void(JobSpec&)> spoil;
  std::vector<Problem> problems;
};

const Spoilt spoilt[] = {
    {"ImageOfNothing",
     [](JobSpec& s) {
       s.config.data.features[1].image =
           Image{.channels = 4, .crop = {.fraction = 0, .min_area = 1.5}, .black = std::nan(""), .white = -2e6};
     },
     {{"spec.data.features.y.image.height", "is 0; must be at least 1"},
      {"spec.data.features.y.image.width", "is 0; must be at least 1"},
      {"spec.data.features.y.image.channels", "is 4; must be 1 for grey or 3 for RGB"},
      {"spec.data.features.y.image.crop.fraction", "is 0; must be greater than 0 and at most 1"},
      {"spec.data.features.y.image.crop.leastArea", "is 1.5; must be greater than 0 and at most 1"},
      {"spec.data.features.y.image.black", "is nan; must be from -1e+06 to 1e+06"},
      {"spec.data.features.y.image.white", "is -2e+06; must be from -1e+06 to 1e+06"}}},
    {"ImageOfOneColourAsWholeNumbers",
     [](JobSpec& s) {
       s.config.data.features[1].type = FeatureType::uint8;
       s.config.data.features[1].image = Image{.height = 1, .width = 1, .black = 255};
     },
     {{"spec.data.features.y.type", "is uint8; must be float32 for an image"},
      {"spec.data.features.y.image.white", "equals black; every pixel would be the same"}}},
    {"TextWithoutNumbers",
     [](JobSpec& s) {
       s.config.data.features.push_back({"z", FeatureType::text});
     },
     {{"spec.data.features.z",
       "has neither words nor buckets; list the words that there are, or set buckets to hash any"}}},
    {"Words",
     [](JobSpec& s) {
       Feature text{"z", FeatureType::text};
       text.buckets = -1;
       text.words = {"a", "b\n", "a", std::string(257, 'x')};
       s.config.data.features.push_back(text);
     },
     {{"spec.data.features.z.buckets", "is -1; must be from 0 to 1000000000"},
      {"spec.data.features.z.words[1]", "has more than 256 characters, or holds control characters"},
      {"spec.data.features.z.words[2]", "'a' is there twice"},
      {"spec.data.features.z.words[3]", "has more than 256 characters, or holds control characters"}}},
    {"TooManyWords",
     [](JobSpec& s) {
       Feature text{"z", FeatureType::text};
       for (int i = 0; i <= 1000; ++i) text.words.push_back(std::to_string(i));
       s.config.data.features.push_back(text);
     },
     {{"spec.data.features.z.words", "has 1001 words; at most 1000, set buckets instead"}}},
    {"FilterOfText",
     [](JobSpec& s) {
       s.config.data.stages = {Filter{"z", 0, {}}, Snapshot{"a"}};
       Feature text{"z", FeatureType::text};
       text.buckets = 5;
       s.config.data.features.push_back(text);
     },
     {{"spec.data.train.stages[0].filter.feature", "'z' is text; a filter needs numbers"}}},
    {"Shapes",
     [](JobSpec& s) {
       s.config.data.features[0].shape = {8, 0, -1};
       s.config.data.features[1].shape = std::vector<std::int64_t>();
       s.config.data.features.push_back({"z", FeatureType::int64, 1, {}, std::vector<std::int64_t>{1, 1, 1, 1}});
     },
     {{"spec.data.features.x.shape[1]", "is 0; must be at least 1"},
      {"spec.data.features.x.shape[2]", "is -1; must be at least 1"},
      {"spec.data.features.y.shape", "has 0 dimensions; must have from 1 to 3"},
      {"spec.data.features.z.shape", "has 4 dimensions; must have from 1 to 3"}}},
    {"ShapeOfTooManyValues",
     [](JobSpec& s) {
       s.config.data.features[1].shape = {12, std::int64_t{1} << 34, std::int64_t{1} << 34};
     },
     {{"spec.data.features.y.shape", "stands for more values than a feature may have"}}},
    {"Mix",
     [](JobSpec& s) {
       s.config.data.files.clear();
       s.config.data.stages = {Interleave{}};
       s.config.data.mix = {
           {{}, {Take{0}}, 0.001}, {std::vector<std::string>(101, "a"), {}, 1.5}, {{"s3://b"}, {}, 2e6}};
     },
     {{"spec.data.train.mix[0].files", "is empty; name the TFRecord files to train on"},
      {"spec.data.train.mix[0].stages[0].take", "is 0; must be from 1 to 1000000000000000"},
      {"spec.data.train.mix[1].files", "names 101 files; at most 100, use *"},
      {"spec.data.train.mix[2].files[0]", "'s3://' cannot be read; there are file:// and gs://"},
      {"spec.data.train.mix[2].weight", "is 2e+06; must be greater than 0 and at most 1e6"},
      {"spec.data.train.mix", "a weight is less than a thousandth of the sum of all weights"},
      {"spec.data.train.stages", "interleave works on files; it can only be a stage of a set of the mix"}}},
    {"Evaluation",
     [](JobSpec& s) {
       s.config.data.evaluation = train::EvaluationData{{"a", "s3://b"}};
     },
     {{"spec.data.eval.files[1]", "'s3://' cannot be read; there are file:// and gs://"}}},
    {"PatienceWithoutEvaluation",
     [](JobSpec& s) { s.config.training.patience = 0; },
     {{"spec.training.patience", "is 0; must be from 1 to 1000000"},
      {"spec.training.patience", "counts evaluations, and there are none; name files in spec.data.eval"}}},
    {"StalenessOfSync",
     [](JobSpec& s) { s.config.training.max_staleness = 2; },
     {{"spec.training.maxStaleness", "is for consistency Async; in Sync no gradient is stale, so leave it out"}}},
    {"StalenessBelowTheWorkers",
     [](JobSpec& s) { s.config.training.max_staleness = 1, s.config.training.consistency = Consistency::async; },
     {{"spec.training.maxStaleness",
       "is 1; below 2, twice the other workers, some of the 2 in spec.replicas.worker never have a batch"}}},
    {"StalenessOfManyUpdates",
     [](JobSpec& s) {
       s.config.training.max_staleness = 2'000'000, s.config.training.consistency = Consistency::async;
     },
     {{"spec.training.maxStaleness", "is 2000000; must be from 0 to 1000000"}}},
    {"NoFileToEvaluateWith",
     [](JobSpec& s) { s.config.data.evaluation = train::EvaluationData(); },
     {{"spec.data.eval.files", "is empty; name the TFRecord files to evaluate with"}}},
    {"SnapshotOfAMix",
     [](JobSpec& s) {
       s.config.data.files.clear();
       s.config.data.stages = {Snapshot{"a"}};
       s.config.data.mix = {{{"a"}, {Filter{"y", 0, {}}, Snapshot{"b"}}, 1}};
     },
     {{"spec.data.train.mix[0].stages", "a mix cannot have a filter or a snapshot; use spec.data.train.files"},
      {"spec.data.train.stages", "a mix cannot have a filter or a snapshot; use spec.data.train.files"}}},
    {"FilterOfAnImage",
     [](JobSpec& s) {
       s.config.data.stages = {Filter{"y", 0, {}}, Snapshot{"a"}};
       s.config.data.features[1].image = Image{.height = 1, .width = 1};
     },
     {{"spec.data.train.stages[0].filter.feature", "'y' is an image; a filter needs numbers"}}},
    {"TooManySets",
     [](JobSpec& s) {
       s.config.data.mix.assign(17, {{"a"}, {}, 1});
     },
     {{"spec.data.train", "needs either files or mix"}, {"spec.data.train.mix", "names 17 sets; at most 16"}}},
    {"WeightOfNothing",
     [](JobSpec& s) {
       s.config.data.files.clear(), s.config.data.mix = {{{"a"}, {}, std::nan("")}};
     },
     {{"spec.data.train.mix[0].weight", "is nan; must be greater than 0 and at most 1e6"}}},
};

class ValidateData : public testing::TestWithParam<Spoilt> {};

TEST_P(ValidateData, SaysWhatIsWrong) {
  JobSpec spec = some_job();
  GetParam().spoil(spec);
  EXPECT_EQ(describe(problems_in(spec, any_model)), describe(GetParam().problems));
}

// As the API server counts it: in this order it comes out exact.
TEST(ValidateMix, TakesAWeightThatIsAThousandthOfAll) {
  JobSpec spec = some_job();
  spec.config.data.files.clear();
  spec.config.data.stages = {};
  spec.config.data.mix = {{{"a"}, {}, 0.7}, {{"b"}, {}, 699.3}};
  EXPECT_EQ(describe(problems_in(spec, any_model)), "");
}

INSTANTIATE_TEST_SUITE_P(BadData, ValidateData, testing::ValuesIn(spoilt),
                         [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace carrack::control
