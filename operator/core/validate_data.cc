#include "operator/core/validate_data.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace carrack::control {
namespace {

using namespace train;

constexpr std::size_t max_files = 1000;
constexpr std::size_t max_sets = 16;
constexpr std::size_t max_files_of_set = 100;
constexpr double max_weight = 1e6;
constexpr double most_shares = 1000;  // of the weight of all
constexpr std::size_t max_stages = 50;
constexpr std::int64_t max_at_once = 1'000'000;  // files, or blocks
constexpr std::int64_t max_count = 1'000'000'000;
constexpr std::int64_t max_records = 1'000'000'000'000'000;
constexpr std::size_t max_features = 1000;
constexpr std::size_t max_feature_name = 256;
constexpr double max_value = 1e6;       // of a pixel
constexpr double max_exact = 0x1.0p53;  // whole number of a manifest

void check_stage(const Stage& stage, const std::string& field, Problems& problems) {
  const auto expect_from = [&](std::int64_t value, std::int64_t least, std::int64_t most, const std::string& name) {
    problems.expect(value >= least && value <= most, field + "." + name,
                    "is " + number(value) + "; from " + number(least) + " to " + number(most));
  };
  if (const auto* interleave = std::get_if<Interleave>(&stage)) {
    expect_from(interleave->cycle, 1, max_at_once, "interleave.cycle");
    expect_from(interleave->block, 1, max_count, "interleave.block");
  } else if (const auto* shard = std::get_if<Shard>(&stage)) {
    expect_from(shard->count, 1, max_count, "shard.count");
    expect_from(shard->index, 0, max_count, "shard.index");
    problems.expect(shard->index < shard->count || shard->count < 1, field + ".shard",
                    "index is not below count; shards count from 0");
  } else if (const auto* skip = std::get_if<Skip>(&stage)) {
    expect_from(skip->records, 0, max_records, "skip");
  } else if (const auto* take = std::get_if<Take>(&stage)) {
    expect_from(take->records, 1, max_records, "take");
  } else if (const auto* shuffle = std::get_if<Shuffle>(&stage)) {
    expect_from(shuffle->block, 0, max_count, "shuffle.block");
    expect_from(shuffle->window, 1, max_at_once, "shuffle.window");
  } else if (const auto* repeat = std::get_if<Repeat>(&stage)) {
    expect_from(repeat->times, 1, max_count, "repeat");
  } else if (const auto* cache = std::get_if<Cache>(&stage)) {
    check_memory(cache->memory, field + ".cache.memory", problems);
  } else if (const auto* snapshot = std::get_if<Snapshot>(&stage)) {
    check_url(snapshot->folder, field + ".snapshot.folder", problems);
  }
}

void check_filter(const Filter& filter, const std::vector<Feature>& features, const std::string& field,
                  Problems& problems) {
  const auto feature = std::ranges::find(features, filter.feature, &Feature::name);
  problems.expect(feature != features.end(), field + ".feature",
                  "'" + filter.feature + "' is none of spec.data.features");
  problems.expect(feature == features.end() || !feature->image, field + ".feature",
                  "'" + filter.feature + "' is an image; a filter is of numbers that records hold");
  problems.expect(filter.min || filter.max, field, "has no bound; give min, max or both");
  problems.expect(!filter.min || !filter.max || *filter.min <= *filter.max, field,
                  "min is above max; nothing lies between them");
  const bool is_whole = feature != features.end() && feature->type == FeatureType::int64;
  const auto check_bound = [&](const std::optional<double>& bound, const std::string& name) {
    problems.expect(!bound || std::isfinite(*bound), field + name,
                    "is no number; leave it out where there is no bound");
    problems.expect(!bound || !is_whole || std::abs(*bound) <= max_exact, field + name,
                    "is of int64 from -9007199254740992 to 9007199254740992, as far as whole numbers are exact here");
  };
  check_bound(filter.min, ".min");
  check_bound(filter.max, ".max");
}

// First what is not known before it is read, then where it is written down, then all else.
void check_order(const std::vector<Stage>& stages, const std::string& field, Problems& problems) {
  const auto count = [&](StageKind kind) {
    return std::ranges::count_if(stages, [&](const Stage& stage) { return kind_of(stage) == kind; });
  };
  const auto stand_in_turn = [&](const std::vector<StageKind>& kinds) {
    return std::ranges::is_sorted(
        stages, {}, [&](const Stage& stage) { return std::ranges::find(kinds, kind_of(stage)) - kinds.begin(); });
  };
  using enum StageKind;
  problems.expect(
      count(filter) == 0 || count(snapshot) > 0, field,
      "what a filter leaves is not known before it is read; put a snapshot behind it, which writes it down");
  problems.expect(count(snapshot) <= 1, field, "there can be one snapshot");
  problems.expect(count(snapshot) == 0 || stand_in_turn({filter, snapshot}), field,
                  "a snapshot can only be the first stage, or the first behind filters; put all others behind it");
  problems.expect(count(interleave) == 0 || (count(interleave) == 1 && stand_in_turn({filter, snapshot, interleave})),
                  field, "interleave is about files; it can only be the first stage, or the first behind a snapshot");
}

void check_stages(const std::vector<Stage>& stages, const Data& data, const std::string& field, Problems& problems) {
  problems.expect(stages.size() <= max_stages, field,
                  "names " + number(stages.size()) + " stages; at most " + number(max_stages));
  for (std::size_t at = 0; at < stages.size(); ++at) {
    const std::string place = field + "[" + number(at) + "]";
    check_stage(stages[at], place, problems);
    if (const auto* filter = std::get_if<Filter>(&stages[at]))
      check_filter(*filter, data.features, place + ".filter", problems);
  }
  check_order(stages, field, problems);
  const auto has_no_place = [](const Stage& stage) {
    return kind_of(stage) == StageKind::filter || kind_of(stage) == StageKind::snapshot;
  };
  problems.expect(data.mix.empty() || std::ranges::none_of(stages, has_no_place), field,
                  "a mix has no filter and no snapshot; they are of spec.data.train.files");
}

void check_files(const std::vector<std::string>& files, std::size_t most, const std::string& field,
                 Problems& problems) {
  problems.expect(!files.empty(), field, "is empty; name the TFRecord files to train on");
  problems.expect(files.size() <= most, field,
                  "names " + number(files.size()) + " files; at most " + number(most) + ", use *");
  for (std::size_t at = 0; at < files.size(); ++at) check_url(files[at], field + "[" + number(at) + "]", problems);
}

void check_mix(const Data& data, Problems& problems) {
  const std::vector<MixedSet>& mix = data.mix;
  const std::string field = "spec.data.train.mix";
  problems.expect(mix.size() <= max_sets, field, "names " + number(mix.size()) + " sets; at most " + number(max_sets));
  double weights = 0;
  for (std::size_t at = 0; at < mix.size(); ++at) {
    const std::string set = field + "[" + number(at) + "]";
    check_files(mix[at].files, max_files_of_set, set + ".files", problems);
    check_stages(mix[at].stages, data, set + ".stages", problems);
    problems.expect(mix[at].weight > 0 && mix[at].weight <= max_weight, set + ".weight",
                    "must be above 0 and at most 1e6");
    weights += mix[at].weight;
  }
  problems.expect(std::ranges::none_of(mix, [&](const MixedSet& set) { return set.weight * most_shares < weights; }),
                  field, "a weight is less than a thousandth of all");
}

void check_image(const Image& image, const std::string& field, Problems& problems) {
  const auto expect_part = [&](double part, const std::string& name) {
    problems.expect(part > 0 && part <= 1, field + name, "must be above 0 and at most 1");
  };
  const auto expect_value = [&](double value, const std::string& name) {
    problems.expect(value >= -max_value && value <= max_value, field + name, "must be from -1e6 to 1e6");
  };
  problems.expect(image.height >= 1, field + ".height", "is 0; at least 1");
  problems.expect(image.width >= 1, field + ".width", "is 0; at least 1");
  problems.expect(image.channels == 1 || image.channels == 3, field + ".channels",
                  "is " + number(image.channels) + "; 1 is grey, 3 is RGB");
  expect_part(image.crop.fraction, ".crop.fraction");
  expect_part(image.crop.min_area, ".crop.leastArea");
  expect_value(image.black, ".black");
  expect_value(image.white, ".white");
  problems.expect(image.black != image.white, field + ".white", "is what black is; every pixel would be the same");
}

}  // namespace

void check_data(const Data& data, Problems& problems) {
  problems.expect(data.files.empty() != data.mix.empty(), "spec.data.train", "give files, or a mix");
  if (!data.files.empty()) check_files(data.files, max_files, "spec.data.train.files", problems);
  check_mix(data, problems);
  check_stages(data.stages, data, "spec.data.train.stages", problems);
  problems.expect(data.mix.empty() || data.stages.empty() || kind_of(data.stages[0]) != StageKind::interleave,
                  "spec.data.train.stages", "interleave is about files; it can only be a stage of a set of the mix");
  problems.expect(!data.features.empty(), "spec.data.features", "is empty; name what the records hold");
  problems.expect(data.features.size() <= max_features, "spec.data.features",
                  "names " + number(data.features.size()) + " features; at most " + number(max_features));
  const auto is_named = [](const Feature& feature) {
    return !feature.name.empty() && characters_in(feature.name) <= max_feature_name && is_plain(feature.name);
  };
  problems.expect(
      std::all_of(data.features.begin(), data.features.end(), is_named), "spec.data.features",
      "a name is empty, has more than " + number(max_feature_name) + " characters, or holds control characters");
  for (const Feature& feature : data.features) {
    const std::string field = "spec.data.features." + feature.name;
    if (!feature.image)
      problems.expect(feature.size >= 1, field + ".size", "is " + number(feature.size) + "; at least 1");
    problems.expect(!feature.image || feature.type == FeatureType::float32, field + ".type",
                    "is int64; the values of an image are float32");
    if (feature.image) check_image(*feature.image, field + ".image", problems);
  }
}

}  // namespace carrack::control
