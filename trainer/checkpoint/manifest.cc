#include "trainer/checkpoint/manifest.h"

#include <algorithm>
#include <optional>

#include "dataloader/crc32c.h"
#include "dataloader/text.h"
#include "trainer/checkpoint/bundle.h"
#include "trainer/checkpoint/sealed_lines.h"
#include "trainer/checkpoint/tensor.h"
#include "trainer/error.h"

namespace carrack::checkpoint {
namespace {

// The first line of a manifest has the lowest version that can say what the manifest says, so older trainers can read
// it.
constexpr std::string_view without_config = "carrack checkpoint 1";
constexpr std::string_view with_config = "carrack checkpoint 2";
constexpr std::string_view with_skipped = "carrack checkpoint 3";

std::string_view first_line(const Manifest& manifest) {
  if (manifest.skipped.records > 0) return with_skipped;
  return manifest.config.empty() ? without_config : with_config;
}

std::string line(std::string_view key, std::uint64_t value) {
  return std::string(key) + " " + std::to_string(value) + "\n";
}

// `before` are the ranges of the lines before this one. Ranges must ascend and leave a gap, so each set has one text.
AppliedRanges take_applied(SealedLines& lines, const std::vector<AppliedRanges>& before) {
  const auto words = lines.words("applied", 3);
  const AppliedRanges ranges{lines.as_number(words[0]), lines.as_number(words[1]), lines.as_number(words[2])};
  const bool ascends = before.empty() || before.back().epoch < ranges.epoch ||
                       (before.back().epoch == ranges.epoch && before.back().end < ranges.begin);
  if (ranges.begin >= ranges.end || !ascends) lines.refuse("has 'applied' ranges that do not ascend apart");
  return ranges;
}

StoredFile take_file(SealedLines& lines, const std::string& expected) {
  const auto words = lines.words("file", 4);
  StoredFile file{lines.as_name(words[0]), lines.as_number(words[1]), lines.as_crc(words[2]),
                  lines.as_number(words[3])};
  if (file.name != expected) lines.refuse("has the file '" + file.name + "' where '" + expected + "' belongs");
  return file;
}

std::string skipped_line(const SkippedRecords& skipped) {
  if (skipped.records == 0) return "";
  return "skipped " + std::to_string(skipped.records) + " " + data::percent_escaped(skipped.first, " ") + "\n";
}

SkippedRecords take_skipped(SealedLines& lines) {
  const auto words = lines.words("skipped", 2);
  const std::optional<std::string> first = unescaped(words[1], " ");
  const SkippedRecords skipped{lines.as_number(words[0]), first.value_or("")};
  if (skipped.records == 0 || skipped.first.empty())
    lines.refuse("has a line of 'skipped' that is not as it is written");
  return skipped;
}

std::string config_lines(std::string_view config) {
  std::string lines;
  while (!config.empty()) {
    const std::size_t end = config.find('\n');
    if (end == config.npos) throw train::Error(train::Blame::bug, "carrack checkpoint: a config without its last end");
    lines += "config " + data::percent_escaped(config.substr(0, end)) + "\n";
    config.remove_prefix(end + 1);
  }
  return lines;
}

std::string take_config_line(SealedLines& lines) {
  const std::optional<std::string> line = unescaped(lines.rest("config"));
  if (!line || line->find('\n') != line->npos) {
    lines.refuse("has a line of 'config' that is not as it is written");
    return "";
  }
  return *line + "\n";
}

}  // namespace

std::string prefix_of(const Cut& cut) {
  return "checkpoint-" + std::to_string(cut.step) + "-" + std::to_string(cut.attempt) + "-" +
         std::to_string(cut.incarnation) + "-" + std::to_string(cut.number);
}

std::string manifest_name(const Cut& cut) {
  return prefix_of(cut) + ".manifest";
}

std::string encode_manifest(const Manifest& manifest) {
  std::string text = std::string(first_line(manifest)) + "\n";
  text += "job " + manifest.job + "\n";
  text += line("step", manifest.cut.step);
  text += line("attempt", manifest.cut.attempt);
  text += line("incarnation", manifest.cut.incarnation);
  text += line("cut", manifest.cut.number);
  text += line("timeline", manifest.timeline);
  text += line("seed", manifest.seed);
  text += line("epoch", manifest.epoch);
  text += line("position", manifest.position);
  text += "order " + manifest.order + "\n";
  text += "digest " + data::crc32c_hex(manifest.digest) + "\n";
  text += config_lines(manifest.config);
  text += skipped_line(manifest.skipped);
  text += line("shards", manifest.shards);
  for (const AppliedRanges& ranges : manifest.applied) {
    text += "applied " + std::to_string(ranges.epoch) + " " + std::to_string(ranges.begin) + " " +
            std::to_string(ranges.end) + "\n";
  }
  for (const StoredFile& file : manifest.files) {
    text += "file " + file.name + " " + std::to_string(file.size) + " " + data::crc32c_hex(file.crc32c) + " " +
            std::to_string(file.generation) + "\n";
  }
  text = seal(std::move(text));
  const Decoded<Manifest> decoded = decode_manifest(text);
  if (const auto* corrupt = std::get_if<Corrupt>(&decoded)) throw train::Error(train::Blame::bug, corrupt->text);
  return text;
}

Decoded<Manifest> decode_manifest(std::string_view text) {
  const bool has_skipped = text.starts_with(with_skipped);
  const bool has_config = has_skipped || text.starts_with(with_config);
  SealedLines lines(text, has_skipped ? with_skipped : has_config ? with_config : without_config);
  Manifest manifest;
  manifest.job = lines.as_name(lines.rest("job"));
  manifest.cut.step = lines.number("step");
  manifest.cut.attempt = lines.number("attempt");
  manifest.cut.incarnation = lines.number("incarnation");
  manifest.cut.number = lines.number("cut");
  manifest.timeline = lines.number("timeline");
  manifest.seed = lines.number("seed");
  manifest.epoch = lines.number("epoch");
  manifest.position = lines.number("position");
  manifest.order = lines.rest("order");
  if (!is_printable_ascii(manifest.order)) lines.refuse("has an 'order' with characters that are not printable ASCII");
  manifest.digest = lines.as_crc(lines.rest("digest"));
  if (has_config) {
    do manifest.config += take_config_line(lines);
    while (lines.next_is("config"));
  }
  if (has_skipped) manifest.skipped = take_skipped(lines);
  const std::uint64_t shards = lines.number("shards");
  if (shards == 0 || shards > shards_max) lines.refuse("has " + std::to_string(shards) + " shards");
  while (lines.next_is("applied")) manifest.applied.push_back(take_applied(lines, manifest.applied));
  manifest.shards = static_cast<std::uint32_t>(shards);
  const std::string prefix = prefix_of(manifest.cut);
  manifest.files.push_back(take_file(lines, index_name(prefix)));
  for (std::uint32_t shard = 0; shard < manifest.shards && !lines.refused(); ++shard) {
    manifest.files.push_back(take_file(lines, shard_name(prefix, shard, manifest.shards)));
  }
  if (auto corrupt = lines.problem()) return *corrupt;
  return manifest;
}

}  // namespace carrack::checkpoint
