#include "operator/core/validate_data.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string_view>
#include <variant>

#include "trainer/launch/overloaded.h"

namespace carrack::control {
namespace {

using namespace train;

constexpr std::size_t max_files = 1000;
constexpr std::size_t max_sets = 16;
constexpr std::size_t max_files_of_set = 100;
constexpr double max_weight = 1e6;
constexpr double max_weight_ratio = 1000;  // limit of the sum of all weights, divided by one weight
constexpr std::size_t max_stages = 50;
constexpr std::int64_t max_at_once = 1'000'000;  // limit of interleave.cycle (files) and of shuffle.window (runs)
constexpr std::int64_t max_count = 1'000'000'000;
constexpr std::int64_t max_records = 1'000'000'000'000'000;
constexpr std::size_t max_features = 1000;
constexpr std::size_t max_feature_name = 256;
constexpr std::size_t max_words = 1000;
constexpr std::size_t max_word = 256;
constexpr double max_pixel = 1e6;
constexpr double max_exact = 0x1.0p53;  // bounds of filters are doubles: all whole numbers up to here are exact

void check_filter(const Filter& filter, const Data& data, const std::string& field, Problems& problems) {
  const std::vector<Feature>& features = data.features;
  const auto feature = std::ranges::find(features, filter.feature, &Feature::name);
  problems.expect(feature != features.end(), field + ".feature", unknown_feature(filter.feature, data));
  problems.expect(feature == features.end() || !feature->image, field + ".feature",
                  "'" + filter.feature + "' is an image; a filter needs numbers");
  problems.expect(feature == features.end() || feature->type != FeatureType::text, field + ".feature",
                  "'" + filter.feature + "' is text; a filter needs numbers");
  problems.expect(filter.min || filter.max, field, "has no bound; give min, max or both");
  problems.expect(!filter.min || !filter.max || *filter.min <= *filter.max, field,
                  "min is above max; nothing lies between them");
  const bool is_whole = feature != features.end() && feature->type == FeatureType::int64;
  const auto check_bound = [&](const std::optional<double>& bound, const std::string& name) {
    problems.expect(!bound || std::isfinite(*bound), field + name, "is not a number; leave it out for no bound");
    problems.expect(!bound || !is_whole || std::abs(*bound) <= max_exact, field + name,
                    "is " + to_text(bound.value_or(0)) +
                        "; for an int64 feature it must be from -9007199254740992 to 9007199254740992");
  };
  check_bound(filter.min, ".min");
  check_bound(filter.max, ".max");
}

void check_stage(const Stage& stage, const Data& data, const std::string& field, Problems& problems) {
  const auto check = [&](std::int64_t value, std::int64_t min, std::int64_t max, const std::string& name) {
    expect_range(value, min, max, field + "." + name, problems);
  };
  const auto check_kind =
      overloaded{[&](const Interleave& interleave) {
                   check(interleave.cycle, 1, max_at_once, "interleave.cycle");
                   check(interleave.block, 1, max_count, "interleave.block");
                 },
                 [&](const Shard& shard) {
                   check(shard.count, 1, max_count, "shard.count");
                   check(shard.index, 0, max_count, "shard.index");
                   problems.expect(shard.index < shard.count || shard.count < 1, field + ".shard",
                                   "index is not below count; shards count from 0");
                 },
                 [&](const Skip& skip) { check(skip.records, 0, max_records, "skip"); },
                 [&](const Take& take) { check(take.records, 1, max_records, "take"); },
                 [&](const Shuffle& shuffle) {
                   check(shuffle.block, 0, max_count, "shuffle.block");
                   check(shuffle.window, 1, max_at_once, "shuffle.window");
                 },
                 [&](const Repeat& repeat) { check(repeat.times, 1, max_count, "repeat"); },
                 [&](const Cache& cache) { check_memory(cache.memory, field + ".cache.memory", problems); },
                 [&](const Filter& filter) { check_filter(filter, data, field + ".filter", problems); },
                 [&](const Snapshot& snapshot) { check_url(snapshot.folder, field + ".snapshot.folder", problems); }};
  std::visit(check_kind, stage);
}

// Filters need a snapshot after them, because the number of records that they keep is not known before the snapshot is
// written. Only filters may precede a snapshot. Interleave reads files in turn, those of the data or those of the
// snapshot, so only filters and a snapshot may precede it.
void check_order(const std::vector<Stage>& stages, const std::string& field, Problems& problems) {
  const auto count = [&](StageKind kind) {
    return std::ranges::count_if(stages, [&](const Stage& stage) { return kind_of(stage) == kind; });
  };
  const auto is_ordered = [&](const std::vector<StageKind>& kinds) {
    return std::ranges::is_sorted(
        stages, {}, [&](const Stage& stage) { return std::ranges::find(kinds, kind_of(stage)) - kinds.begin(); });
  };
  using enum StageKind;
  problems.expect(
      count(filter) == 0 || count(snapshot) > 0, field,
      "a filter needs a snapshot after it, as the number of records that it keeps is not known before they are read");
  problems.expect(count(snapshot) <= 1, field, "there can be one snapshot");
  problems.expect(count(snapshot) == 0 || is_ordered({filter, snapshot}), field,
                  "a snapshot can only be the first stage, or the first after filters; put all others after it");
  problems.expect(count(interleave) == 0 || (count(interleave) == 1 && is_ordered({filter, snapshot, interleave})),
                  field, "interleave works on files; it can only be the first stage, or the first after a snapshot");
}

void check_stages(const std::vector<Stage>& stages, const Data& data, const std::string& field, Problems& problems) {
  problems.expect(stages.size() <= max_stages, field,
                  "names " + to_text(stages.size()) + " stages; at most " + to_text(max_stages));
  for (std::size_t at = 0; at < stages.size(); ++at) {
    check_stage(stages[at], data, field + "[" + to_text(at) + "]", problems);
  }
  check_order(stages, field, problems);
  const auto is_filter_or_snapshot = [](const Stage& stage) {
    return kind_of(stage) == StageKind::filter || kind_of(stage) == StageKind::snapshot;
  };
  problems.expect(data.mix.empty() || std::ranges::none_of(stages, is_filter_or_snapshot), field,
                  "a mix cannot have a filter or a snapshot; use spec.data.train.files");
}

// `use` says what the files are for, such as "train on".
void check_files(const std::vector<std::string>& files, std::size_t max, const std::string& use,
                 const std::string& field, Problems& problems) {
  problems.expect(!files.empty(), field, "is empty; name the TFRecord files to " + use);
  problems.expect(files.size() <= max, field,
                  "names " + to_text(files.size()) + " files; at most " + to_text(max) + ", use *");
  for (std::size_t at = 0; at < files.size(); ++at) check_url(files[at], field + "[" + to_text(at) + "]", problems);
}

void check_mix(const Data& data, Problems& problems) {
  const std::vector<MixedSet>& mix = data.mix;
  const std::string field = "spec.data.train.mix";
  problems.expect(mix.size() <= max_sets, field,
                  "names " + to_text(mix.size()) + " sets; at most " + to_text(max_sets));
  double weights = 0;
  for (std::size_t at = 0; at < mix.size(); ++at) {
    const std::string set = field + "[" + to_text(at) + "]";
    check_files(mix[at].files, max_files_of_set, "train on", set + ".files", problems);
    check_stages(mix[at].stages, data, set + ".stages", problems);
    problems.expect(mix[at].weight > 0 && mix[at].weight <= max_weight, set + ".weight",
                    "is " + to_text(mix[at].weight) + "; must be greater than 0 and at most 1e6");
    weights += mix[at].weight;
  }
  problems.expect(
      std::ranges::none_of(mix, [&](const MixedSet& set) { return set.weight * max_weight_ratio < weights; }), field,
      "a weight is less than a thousandth of the sum of all weights");
}

void check_image(const Image& image, const std::string& field, Problems& problems) {
  const auto check_part = [&](double part, const std::string& name) {
    problems.expect(part > 0 && part <= 1, field + name,
                    "is " + to_text(part) + "; must be greater than 0 and at most 1");
  };
  problems.expect(image.height >= 1, field + ".height", "is 0; must be at least 1");
  problems.expect(image.width >= 1, field + ".width", "is 0; must be at least 1");
  problems.expect(image.channels == 1 || image.channels == 3, field + ".channels",
                  "is " + to_text(image.channels) + "; must be 1 for grey or 3 for RGB");
  check_part(image.crop.fraction, ".crop.fraction");
  check_part(image.crop.min_area, ".crop.leastArea");
  expect_range(image.black, -max_pixel, max_pixel, field + ".black", problems);
  expect_range(image.white, -max_pixel, max_pixel, field + ".white", problems);
  problems.expect(image.black != image.white, field + ".white", "equals black; every pixel would be the same");
}

void check_shape(const std::vector<std::int64_t>& shape, const std::string& field, Problems& problems) {
  constexpr std::int64_t values_max = std::int64_t{1} << 34;
  problems.expect(!shape.empty() && shape.size() <= dimensions_max, field,
                  "has " + to_text(shape.size()) + " dimensions; must have from 1 to " + to_text(dimensions_max));
  for (std::size_t at = 0; at < shape.size(); ++at) {
    problems.expect(shape[at] >= 1, field + "[" + to_text(at) + "]",
                    "is " + to_text(shape[at]) + "; must be at least 1");
  }
  problems.expect(train::value_count(shape) <= values_max, field, "stands for more values than a feature may have");
}

void check_text(const Feature& text, const std::string& field, Problems& problems) {
  const std::vector<std::string>& words = text.words;
  problems.expect(text.buckets > 0 || !words.empty(), field,
                  "has neither words nor buckets; list the words that there are, or set buckets to hash any");
  expect_range(text.buckets, std::int64_t{0}, max_count, field + ".buckets", problems);
  problems.expect(words.size() <= max_words, field + ".words",
                  "has " + to_text(words.size()) + " words; at most " + to_text(max_words) + ", set buckets instead");
  std::set<std::string_view> before;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string name = field + ".words[" + to_text(at) + "]";
    problems.expect(count_characters(words[at]) <= max_word && has_no_control_characters(words[at]), name,
                    "has more than " + to_text(max_word) + " characters, or holds control characters");
    problems.expect(before.insert(words[at]).second, name, "'" + words[at] + "' is there twice");
  }
}

}  // namespace

void check_data(const Data& data, Problems& problems) {
  problems.expect(data.files.empty() != data.mix.empty(), "spec.data.train", "needs either files or mix");
  if (!data.files.empty()) check_files(data.files, max_files, "train on", "spec.data.train.files", problems);
  if (data.evaluation) {
    check_files(data.evaluation->files, max_files, "evaluate with", "spec.data.eval.files", problems);
  }
  check_mix(data, problems);
  check_stages(data.stages, data, "spec.data.train.stages", problems);
  problems.expect(data.mix.empty() || data.stages.empty() || kind_of(data.stages[0]) != StageKind::interleave,
                  "spec.data.train.stages", "interleave works on files; it can only be a stage of a set of the mix");
  problems.expect(!data.features.empty(), "spec.data.features", "is empty; list the features of the records");
  problems.expect(data.features.size() <= max_features, "spec.data.features",
                  "names " + to_text(data.features.size()) + " features; at most " + to_text(max_features));
  const auto has_valid_name = [](const Feature& feature) {
    return !feature.name.empty() && count_characters(feature.name) <= max_feature_name &&
           has_no_control_characters(feature.name);
  };
  problems.expect(
      std::all_of(data.features.begin(), data.features.end(), has_valid_name), "spec.data.features",
      "a name is empty, has more than " + to_text(max_feature_name) + " characters, or holds control characters");
  for (const Feature& feature : data.features) {
    const std::string field = "spec.data.features." + feature.name;
    if (!feature.image && !feature.shape)
      problems.expect(feature.size >= 1, field + ".size", "is " + to_text(feature.size) + "; must be at least 1");
    if (feature.shape) check_shape(*feature.shape, field + ".shape", problems);
    problems.expect(!feature.image || feature.type == FeatureType::float32, field + ".type",
                    "is " + std::string(spelled(feature.type)) + "; must be float32 for an image");
    if (feature.type == FeatureType::text) check_text(feature, field, problems);
    if (feature.image) check_image(*feature.image, field + ".image", problems);
  }
}

}  // namespace carrack::control
