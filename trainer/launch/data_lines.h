// Writes and reads the part of the config file (launch.h) about data: files, mixes, stages, evaluation, damage and
// features. Only launch.cc includes this header, and calls data_lines() and stage_lines().
//
// Each function names the lines of one struct, in order, and serves both directions: with a LineWriter (lines.h) as
// `lines` it appends the struct's lines, and with a LineReader it sets the struct's fields from the lines. `version` is
// the version of the file (versions.h); settings that it does not have are neither written nor read. A kind that it
// does not have is written, but a LineReader refuses it. Throws as LineWriter and LineReader do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainer/error.h"
#include "trainer/launch/config.h"
#include "trainer/launch/lines.h"
#include "trainer/launch/overloaded.h"
#include "trainer/launch/spellings.h"
#include "trainer/launch/versions.h"

namespace carrack::train {

// The first word of a feature's line, which says what else the line has: "data.feature float32 1 price" is for a
// float32 feature `price` of size 1.
enum class FeatureLine { float32, int64, uint8, image, shaped, text };
template <>
inline constexpr Spelling<FeatureLine> spellings<FeatureLine>[] = {
    {FeatureLine::float32, "float32"}, {FeatureLine::int64, "int64"},   {FeatureLine::uint8, "uint8"},
    {FeatureLine::image, "image"},     {FeatureLine::shaped, "shaped"}, {FeatureLine::text, "text"}};

// Returns the kind of line for the feature.
inline FeatureLine feature_line(const Feature& feature) {
  if (feature.image) return FeatureLine::image;
  if (feature.type == FeatureType::text) return FeatureLine::text;
  if (feature.shape) return FeatureLine::shaped;
  switch (feature.type) {
    case FeatureType::float32:
      return FeatureLine::float32;
    case FeatureType::int64:
      return FeatureLine::int64;
    case FeatureType::uint8:
      return FeatureLine::uint8;
    case FeatureType::text:
      return FeatureLine::text;
  }
  throw Error(Blame::bug, "a feature of no type");
}

// Return the first version of the file that has such lines.
inline int introduced_in(FeatureLine line) {
  switch (line) {
    case FeatureLine::float32:
    case FeatureLine::int64:
      return oldest_version;
    case FeatureLine::image:
      return version_of_images_mixes_and_filters;
    case FeatureLine::uint8:
    case FeatureLine::shaped:
      return version_of_layers_and_shapes;
    case FeatureLine::text:
      return version_of_text;
  }
  throw Error(Blame::bug, "a line of a feature of no version");
}

inline int introduced_in(StageKind kind) {
  switch (kind) {
    case StageKind::interleave:
    case StageKind::shard:
    case StageKind::skip:
    case StageKind::take:
    case StageKind::shuffle:
    case StageKind::repeat:
    case StageKind::cache:
      return version_of_stages;
    case StageKind::filter:
    case StageKind::snapshot:
      return version_of_images_mixes_and_filters;
  }
  throw Error(Blame::bug, "a kind of stage of no version");
}

// One stage. `key` is the key of its line, such as "data.stage".
template <class Lines>
void stage_lines(Lines& lines, int version, const std::string& key, Stage& stage) {
  StageKind kind = kind_of(stage);
  lines.peek_kind(key, kind, [&] { return introduced_in(kind) <= version; });
  set_kind(stage, kind);
  const auto line = [&](auto&... values) { lines.line(key, kind, values...); };
  const auto list = overloaded{[&](Interleave& interleave) { line(interleave.cycle, interleave.block); },
                               [&](Shard& shard) { line(shard.count, shard.index); },
                               [&](Skip& skip) { line(skip.records); },
                               [&](Take& take) { line(take.records); },
                               [&](Shuffle& shuffle) { line(shuffle.kind, shuffle.block, shuffle.window); },
                               [&](Repeat& repeat) { line(repeat.times); },
                               [&](Cache& cache) { line(cache.memory); },
                               [&](Filter& filter) { line(filter.min, filter.max, filter.feature); },
                               [&](Snapshot& snapshot) { line(snapshot.folder); }};
  std::visit(list, stage);
}

template <class Lines>
void stages_lines(Lines& lines, int version, const std::string& key, std::vector<Stage>& stages) {
  lines.each(key, stages, [&](Stage& stage) { stage_lines(lines, version, key, stage); });
}

template <class Lines>
void mix_lines(Lines& lines, int version, std::vector<MixedSet>& mix) {
  lines.each("data.mix", mix, [&](MixedSet& set) { lines.line("data.mix", set.weight); });
  for (std::size_t i = 0; i < mix.size(); ++i) {
    const std::string set = "data.mix." + std::to_string(i);
    lines.each(set + ".file", mix[i].files, [&](std::string& file) { lines.line(set + ".file", file); });
    stages_lines(lines, version, set + ".stage", mix[i].stages);
  }
}

template <class Lines>
void evaluation_lines(Lines& lines, std::optional<EvaluationData>& evaluation) {
  EvaluationData data = evaluation.value_or(EvaluationData());
  lines.each("data.evaluation.file", data.files, [&](std::string& file) { lines.line("data.evaluation.file", file); });
  if (data != EvaluationData()) evaluation = data;
}

template <class Lines>
void feature_lines(Lines& lines, int version, Feature& feature) {
  FeatureLine kind = feature_line(feature);
  lines.peek_kind("data.feature", kind, [&] { return introduced_in(kind) <= version; });
  if (kind == FeatureLine::shaped) {
    std::vector<std::int64_t>& shape = feature.shape ? *feature.shape : feature.shape.emplace();
    lines.line("data.feature", kind, feature.type, shape, feature.name);
    feature.size = value_count(shape);
    return;
  }
  if (kind == FeatureLine::text) {
    feature.type = FeatureType::text;
    lines.line("data.feature", kind, feature.buckets, feature.size, feature.shape, feature.name);
    if (feature.shape) feature.size = value_count(*feature.shape);
    return;
  }
  if (kind != FeatureLine::image) return lines.line("data.feature", feature.type, feature.size, feature.name);
  Image& image = feature.image ? *feature.image : feature.image.emplace();
  lines.line("data.feature", kind, image.height, image.width, image.channels, image.layout, image.crop.kind,
             image.crop.fraction, image.crop.min_area, image.mirror, image.black, image.white, feature.name);
  feature.size = value_count(image);
}

// All lines about data.
template <class Lines>
void data_lines(Lines& lines, int version, Data& data) {
  lines.each("data.file", data.files, [&](std::string& file) { lines.line("data.file", file); });
  if (version >= version_of_images_mixes_and_filters) mix_lines(lines, version, data.mix);
  if (version >= version_of_stages) stages_lines(lines, version, "data.stage", data.stages);
  if (version >= version_of_evaluation) evaluation_lines(lines, data.evaluation);
  if (version >= version_of_damage) lines.line("data.onDamage", data.on_damage);
  lines.each("data.feature", data.features, [&](Feature& feature) { feature_lines(lines, version, feature); });
  for (std::size_t i = 0; i < data.features.size(); ++i) {
    if (data.features[i].type != FeatureType::text) continue;
    const std::string key = "data.feature." + std::to_string(i) + ".word";
    lines.each(key, data.features[i].words, [&](std::string& word) { lines.line(key, word); });
  }
}

}  // namespace carrack::train
