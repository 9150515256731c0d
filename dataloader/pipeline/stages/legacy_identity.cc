#include "dataloader/pipeline/stages/legacy_identity.h"

#include <cstdio>
#include <span>
#include <variant>

#include "dataloader/crc32c.h"
#include "dataloader/pipeline/rows/row_bytes.h"
#include "dataloader/records/example_problems.h"
#include "dataloader/records/raw_numbers.h"
#include "dataloader/sources/number_text.h"

// Nothing here is shared with descriptions or canonical texts, which may change.
namespace carrack::data {
namespace {

std::string join(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) all += (all.empty() ? "" : ", ") + part;
  return all;
}

std::string with_checksum(std::uint64_t count, std::uint32_t crc) {
  char hex[9];
  std::snprintf(hex, sizeof hex, "%08x", static_cast<unsigned>(crc));
  return std::to_string(count) + ", crc32c " + hex;
}

// A column of these values alone, without rows.
template <typename AnyValues>
std::string options(const AnyValues& values) {
  Rows rows;
  std::visit([&](const auto& all) { rows.columns.push_back({"", all}); }, values);
  const std::string bytes = rows_to_bytes(rows);
  return with_checksum(0, crc32c(std::as_bytes(std::span(bytes)), 0));
}

std::string options(const Feature& feature) {
  constexpr const char* shapes[] = {"", " list", " padded", " lists"};
  std::string text = feature.name + " " + name_of(feature.dtype);
  if (feature.count != 1) text += "[" + std::to_string(feature.count) + "]";
  text += shapes[static_cast<std::size_t>(feature.shape)];
  if (feature.part == Part::feature_lists) text += " of steps";
  if (feature.raw) text += std::string(" raw ") + name_of(*feature.raw);
  for (const auto& [name, kind] : feature.partitions)
    text += (kind == Partition::Kind::lengths ? " by lengths " : " by splits ") + name;
  if (feature.may_be_missing) text += " or none";
  return feature.default_values ? text + " else " + options(*feature.default_values) : text;
}

std::string options(const std::vector<Feature>& features) {
  std::vector<std::string> parts;
  for (const Feature& feature : features) parts.push_back(options(feature));
  return join(parts);
}

std::string options(const Shuffle& shuffle) {
  const std::string seed = ", seed " + std::to_string(shuffle.seed);
  const std::string block = shuffle.block > 0 ? std::to_string(shuffle.block) + " rows" : "4 MiB";
  const std::string runs = "runs of " + block + ", " + std::to_string(shuffle.window) + " at once" + seed;
  if (shuffle.kind == Shuffle::Kind::full) return "full" + seed;
  if (shuffle.kind == Shuffle::Kind::buffer) return "buffer of " + std::to_string(shuffle.buffer) + seed;
  return shuffle.kind == Shuffle::Kind::block ? runs : "full or " + runs;
}

struct OptionsOf {
  std::string operator()(const stages::Records& stage) const {
    const auto& [patterns, cycle, block] = stage.files;
    if (cycle == 0) return join(patterns);
    return join(patterns) + ", " + std::to_string(cycle) + " files at once, " + std::to_string(block) + " of each";
  }
  std::string operator()(const stages::FileNames& stage) const { return join(stage.patterns); }
  std::string operator()(const stages::Csv& stage) const {
    std::string text = join(stage.patterns) + ", by '" + stage.options.delimiter + "'";
    if (stage.options.columns) text += ", columns " + join(*stage.options.columns);
    if (!stage.options.missing.empty()) text += ", missing " + join(stage.options.missing);
    return text + ": " + options(stage.features);
  }
  std::string operator()(const stages::JsonLines& stage) const {
    return join(stage.patterns) + ": " + options(stage.features);
  }
  std::string operator()(const stages::Arrays& stage) const { return join(stage.patterns) + " as " + stage.column; }
  std::string operator()(const stages::ProgramRecords& stage) const { return name_of(stage.program); }
  std::string operator()(const stages::MemoryRows& stage) const {
    return with_checksum(stage.rows.size(), stage.checksum);
  }
  std::string operator()(const stages::Generate& stage) const { return stage.name; }
  std::string operator()(const stages::Concatenate&) const { return ""; }
  std::string operator()(const stages::Zip&) const { return ""; }
  std::string operator()(const stages::Mix& stage) const {
    std::string text;
    for (const double weight : stage.weights) text += exact_text(weight) + ", ";
    return text + "seed " + std::to_string(stage.seed);
  }
  std::string operator()(const stages::Interleave& stage) const {
    return "cycle " + std::to_string(stage.cycle) + ", block " + std::to_string(stage.block);
  }
  std::string operator()(const stages::ShuffleRows& stage) const { return options(stage.options); }
  std::string operator()(const stages::Shard& stage) const {
    return std::to_string(stage.index) + " of " + std::to_string(stage.count);
  }
  std::string operator()(const stages::Skip& stage) const { return std::to_string(stage.count); }
  std::string operator()(const stages::Take& stage) const { return std::to_string(stage.count); }
  std::string operator()(const stages::Repeat& stage) const {
    return stage.times >= endless ? "without end" : std::to_string(stage.times);
  }
  std::string operator()(const stages::Map& stage) const { return stage.name; }
  std::string operator()(const stages::Parse& stage) const { return stage.column + ": " + options(stage.features); }
  std::string operator()(const stages::Filter& stage) const { return stage.name; }
  std::string operator()(const stages::Batch& stage) const {
    return std::to_string(stage.options.size) + (stage.options.drop_remainder ? ", whole ones only" : "");
  }
  std::string operator()(const stages::Pad& stage) const {
    std::string text;
    for (const Padding& padding : stage.columns)
      text += (text.empty() ? "" : ", ") + padding.column + " by " + options(padding.value);
    return text;
  }
  std::string operator()(const stages::Prefetch& stage) const { return std::to_string(stage.results); }
  std::string operator()(const stages::Cache&) const { return ""; }
  std::string operator()(const stages::Snapshot&) const { return ""; }
};

}  // namespace

std::string legacy_options(const Stage& stage) {
  return std::visit(OptionsOf(), stage);
}

std::string legacy_identity(const Plan& plan) {
  std::string text;
  for (const PlanPtr& input : plan.inputs) text += (text.empty() ? "" : ", ") + legacy_identity(*input);
  if (plan.inputs.size() > 1) text = "[" + text + "]";
  const std::string stage_options = legacy_options(plan.stage);
  return text + (text.empty() ? "" : " > ") + kind_of(plan.stage) +
         (stage_options.empty() ? "" : "(" + stage_options + ")");
}

}  // namespace carrack::data
