// What a manifest says of data: which bytes become which numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/codec/job.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {

namespace {

using namespace train;

DecodedJob job_with(const std::string& data) {
  return decode_job(R"(apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {name: line}
spec:
  strategy: Single
  model: {kind: LinearRegression, input: x, target: "y"}
  data: )" + data + R"(
  training: {batch: 64, optimizer: {kind: Adam}}
  checkpoint: {folder: out}
)");
}

// As it is read, and read again after it was written.
Data data_of(const std::string& data) {
  const DecodedJob job = job_with(data);
  EXPECT_EQ(describe(job.problems), "");
  EXPECT_EQ(describe(problems_in(job.spec, any_model)), "");
  EXPECT_EQ(decode_job(to_yaml(job_node(job.spec))).spec, job.spec) << data;
  EXPECT_EQ(decode_job(to_json(job_node(job.spec))).spec, job.spec) << data;
  return job.spec.config.data;
}

Feature feature_of(const std::string& feature) {
  return data_of("{train: {files: [a]}, features: {x: " + feature + "}}").features.at(0);
}

std::string problems_of_feature(const std::string& feature) {
  return describe(job_with("{train: {files: [a]}, features: {x: " + feature + "}}").problems);
}

TEST(ManifestImages, AreFeaturesWhoseSizeFollows) {
  EXPECT_EQ(feature_of("{type: float32, image: {height: 224, width: 192}}"),
            (Feature{"x", FeatureType::float32, 224 * 192 * 3, Image{.height = 224, .width = 192}}));
  const Image image{.height = 1,
                    .width = 65'535,
                    .channels = 1,
                    .layout = ImageLayout::nchw,
                    .crop = {CropKind::random, 0.875, 0.5},
                    .mirror = true,
                    .black = -1,
                    .white = 1};
  EXPECT_EQ(
      feature_of("{type: float32, image: {height: 1, width: 65535, channels: 1, layout: NCHW, crop: {kind: Random, "
                 "leastArea: 0.5}, mirror: true, black: -1, white: 1}}"),
      (Feature{"x", FeatureType::float32, 65'535, image}));
}

TEST(ManifestFeatures, HaveTheSizeOfTheirShape) {
  EXPECT_EQ(feature_of("{type: int64, shape: [64, 8, 2]}"),
            (Feature{"x", FeatureType::int64, 1024, {}, std::vector<std::int64_t>{64, 8, 2}}));
  EXPECT_EQ(shape_of(feature_of("{type: float32, shape: [8]}")), shape_of(feature_of("{type: float32, size: 8}")));
}

TEST(ManifestFeatures, MayBeBytes) {
  EXPECT_EQ(feature_of("{type: uint8, size: 784}"), (Feature{"x", FeatureType::uint8, 784}));
  EXPECT_EQ(problems_of_feature("{type: uint16}"),
            "spec.data.features.x.type: 'uint16' is unknown; there are float32, int64, uint8, text; did you mean "
            "'uint8'? "
            "(line 7)");
}

TEST(ManifestFeatures, MayBeText) {
  EXPECT_EQ(feature_of("{type: text, buckets: 100, size: 3}"), (Feature{"x", FeatureType::text, 3, {}, {}, {}, 100}));
  EXPECT_EQ(feature_of("{type: text, words: [a, '', 'b c'], buckets: 1}"),
            (Feature{"x", FeatureType::text, 1, {}, {}, {"a", "", "b c"}, 1}));
  EXPECT_EQ(problems_of_feature("{type: int64, words: [a]}"),
            "spec.data.features.x.words: is unknown; there are type, size, shape, image (line 7)");
}

TEST(ManifestFeatures, HaveEitherASizeOrAShape) {
  EXPECT_EQ(problems_of_feature("{type: float32, size: 8, shape: [8]}"),
            "spec.data.features.x.size: is unknown; there are type, shape, image (line 7)");
  EXPECT_EQ(problems_of_feature("{type: float32, shape: [8], image: {height: 1, width: 1}}"),
            "spec.data.features.x.shape: is unknown; there are type, image (line 7)");
  EXPECT_EQ(problems_of_feature("{type: float32, shape: 8}"),
            "spec.data.features.x.shape: is a whole number; must be a list (line 7)");
  EXPECT_EQ(problems_of_feature("{type: float32, shape: [8, many]}"),
            "spec.data.features.x.shape[1]: is text; must be a whole number (line 7)");
}

TEST(ManifestImages, AreCroppedByTheFieldsOfTheKind) {
  const auto crop_of = [](const std::string& crop) {
    return feature_of("{type: float32, image: {height: 1, width: 1, crop: " + crop + "}}").image.value().crop;
  };
  EXPECT_EQ(crop_of("{}"), Crop());
  EXPECT_EQ(crop_of("{kind: Central, fraction: 0.5}"), (Crop{.kind = CropKind::central, .fraction = 0.5}));
  EXPECT_EQ(crop_of("{kind: Random}"), (Crop{.kind = CropKind::random}));
}

TEST(ManifestImages, AreRefusedByTheirFields) {
  EXPECT_EQ(problems_of_feature("{type: float32, size: 3, image: {height: 1, width: 1}}"),
            "spec.data.features.x.size: is unknown; there are type, image (line 7)");
  EXPECT_EQ(problems_of_feature("{type: float32, images: {height: 1, width: 1}}"),
            "spec.data.features.x.images: is unknown; did you mean 'image'? (line 7)");
  EXPECT_EQ(problems_of_feature("{type: float32, image: {width: 65536, crop: {kind: Middle}}}"),
            "spec.data.features.x.image.height: is missing (line 7)\n"
            "spec.data.features.x.image.width: is 65536; must be from 0 to 65535 (line 7)\n"
            "spec.data.features.x.image.crop.kind: 'Middle' is unknown; there are Whole, Central, Random (line 7)");
  const auto problems_of_crop = [](const std::string& crop) {
    return problems_of_feature("{type: float32, image: {height: 1, width: 1, crop: " + crop + "}}");
  };
  EXPECT_EQ(problems_of_crop("{leastArea: 0.25}"),
            "spec.data.features.x.image.crop.leastArea: is unknown; there are kind (line 7)");
  EXPECT_EQ(problems_of_crop("{kind: Random, fraction: 0.25}"),
            "spec.data.features.x.image.crop.fraction: is unknown; there are kind, leastArea (line 7)");
  EXPECT_EQ(problems_of_crop("{kind: Central, leastArea: 0.25}"),
            "spec.data.features.x.image.crop.leastArea: is unknown; there are kind, fraction (line 7)");
}

DecodedJob job_of_train(const std::string& train) {
  return job_with("{train: " + train + ", features: {x: {type: float32}}}");
}

TEST(ManifestMixes, AreOfSetsThatAreShuffledAndBehindThemNothingIsDoneUnasked) {
  const std::string features = ", features: {x: {type: float32}}}";
  Data data = data_of("{train: {mix: [{files: [a, b], weight: 0.7}, {files: [c], weight: 3, stages: []}]}" + features);
  EXPECT_EQ(data.mix, (std::vector<MixedSet>{{{"a", "b"}, {Shuffle{}}, 0.7}, {{"c"}, {}, 3}}));
  EXPECT_EQ(data.stages, std::vector<Stage>{});
  EXPECT_EQ(data.files, std::vector<std::string>{});
  data = data_of("{train: {mix: [{files: [c], weight: 1, stages: [interleave: {}, repeat: 3]}], stages: [take: 9]}" +
                 features);
  EXPECT_EQ(data.mix, (std::vector<MixedSet>{{{"c"}, {Interleave{}, Repeat{3}}, 1}}));
  EXPECT_EQ(data.stages, std::vector<Stage>{Take{9}});
}

TEST(ManifestMixes, AreInPlaceOfFiles) {
  for (const char* train : {"{}", "{files: []}", "{mix: []}", "{files: [a], mix: [{files: [b], weight: 1}]}"}) {
    const DecodedJob job = job_of_train(train);
    EXPECT_EQ(describe(job.problems), "") << train;
    EXPECT_EQ(describe(problems_in(job.spec, any_model)), "spec.data.train: needs either files or mix") << train;
  }
  for (const char* train : {"{files: [a], mix: []}", "{files: [], mix: [{files: [b], weight: 1}]}"}) {
    EXPECT_THAT(describe(job_of_train(train).problems), testing::HasSubstr(" is an empty list; leave it out (line 7)"));
  }
  EXPECT_EQ(describe(job_of_train("{mixed: []}").problems),
            "spec.data.train.mixed: is unknown; did you mean 'mix'? (line 7)");
  EXPECT_EQ(describe(job_of_train("{mix: [{files: [a], stages: [skip: x]}, {weight: 1, epochs: 2}]}").problems),
            "spec.data.train.mix[0].stages[0].skip: is text; must be a whole number (line 7)\n"
            "spec.data.train.mix[0].weight: is missing (line 7)\n"
            "spec.data.train.mix[1].files: is missing (line 7)\n"
            "spec.data.train.mix[1].epochs: is unknown; there are files, stages, weight (line 7)");
}

}  // namespace
}  // namespace carrack::control
