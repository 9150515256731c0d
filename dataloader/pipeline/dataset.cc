#include "dataloader/pipeline/dataset.h"

#include <cstdio>
#include <span>
#include <utility>

#include "dataloader/crc32c.h"
#include "dataloader/error.h"
#include "dataloader/pipeline/rows/rows_text.h"
#include "dataloader/pipeline/sequences/stored_rows.h"
#include "dataloader/records/example_problems.h"
#include "dataloader/records/raw_numbers.h"
#include "dataloader/sources/number_text.h"

namespace carrack::data {
namespace {

std::string joined_words(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

std::string words_for(const Shuffle& how) {
  const std::string seed = ", seed " + std::to_string(how.seed);
  const std::string block = how.block > 0 ? std::to_string(how.block) + " rows" : "4 MiB";
  switch (how.kind) {
    case Shuffle::Kind::full:
      return "full" + seed;
    case Shuffle::Kind::block:
      return "runs of " + block + ", " + std::to_string(how.window) + " at once" + seed;
    case Shuffle::Kind::buffer:
      return "buffer of " + std::to_string(how.buffer) + seed;
    default:
      return "full or runs of " + block + ", " + std::to_string(how.window) + " at once" + seed;
  }
}

// Nothing else tells rows in memory from others.
std::string words_for(const Rows& rows) {
  const std::string bytes = text_of(rows);
  char hex[9];
  std::snprintf(hex, sizeof hex, "%08x", static_cast<unsigned>(crc32c(std::as_bytes(std::span(bytes)), 0)));
  return std::to_string(rows.count) + ", crc32c " + hex;
}

std::string words_for(const Feature& feature) {
  constexpr const char* shapes[] = {"", " list", " padded", " lists"};
  std::string words = feature.name + " " + name_of(feature.dtype);
  if (feature.count != 1) words += "[" + std::to_string(feature.count) + "]";
  words += shapes[static_cast<std::size_t>(feature.shape)];
  if (feature.part == Part::feature_lists) words += " of steps";
  if (feature.raw) words += std::string(" raw ") + name_of(*feature.raw);
  for (const auto& [name, kind] : feature.partitions)
    words += (kind == Partition::Kind::lengths ? " by lengths " : " by splits ") + name;
  if (feature.may_be_missing) words += " or none";
  if (!feature.default_values) return words;
  Rows values;
  std::visit([&](const auto& all) { values.columns.push_back({"", all}); }, *feature.default_values);
  return words + " else " + words_for(values);
}

std::string words_for(const std::vector<Feature>& features) {
  std::vector<std::string> words;
  for (const Feature& feature : features) words.push_back(words_for(feature));
  return joined_words(words);
}

std::uint64_t shuffles_in(const Plan& plan) {
  std::uint64_t all = plan.stage == "shuffle" ? 1 : 0;
  for (const PlanPtr& from : plan.from) all += shuffles_in(*from);
  return all;
}

}  // namespace

Dataset Dataset::records(const std::vector<std::string>& patterns) {
  return records(RecordFiles{patterns});
}

Dataset Dataset::records(const RecordFiles& files) {
  std::string words = joined_words(files.patterns);
  if (files.cycle > 0)
    words += ", " + std::to_string(files.cycle) + " files at once, " + std::to_string(files.block) + " of each";
  return source(
      "records", std::move(words), [files](const OpenContext& context) { return open_records(files, context); },
      files.patterns);
}

Dataset Dataset::files(const std::vector<std::string>& patterns) {
  return source(
      "files", joined_words(patterns), [patterns](const OpenContext& context) { return open_files(patterns, context); },
      patterns);
}

Dataset Dataset::csv(const std::vector<std::string>& patterns, const std::vector<Feature>& features,
                     const CsvOptions& options) {
  std::string words = joined_words(patterns) + ", by '" + options.delimiter + "'";
  if (options.columns) words += ", columns " + joined_words(*options.columns);
  if (!options.missing.empty()) words += ", missing " + joined_words(options.missing);
  return source(
      "csv", words + ": " + words_for(features),
      [=](const OpenContext& context) { return open_csv(patterns, features, options, context); }, patterns);
}

Dataset Dataset::json_lines(const std::vector<std::string>& patterns, const std::vector<Feature>& features) {
  return source(
      "json lines", joined_words(patterns) + ": " + words_for(features),
      [=](const OpenContext& context) { return open_json_lines(patterns, features, context); }, patterns);
}

Dataset Dataset::arrays(const std::vector<std::string>& patterns, const std::string& column) {
  return source(
      "arrays", joined_words(patterns) + " as " + column,
      [=](const OpenContext& context) { return open_arrays(patterns, column, context); }, patterns);
}

Dataset Dataset::program(const Program& program) {
  return source("program", name_of(program),
                [program](const OpenContext& context) { return open_program(program, context); });
}

Dataset Dataset::rows(Rows rows) {
  require_whole(rows, "rows");
  const std::string words = words_for(rows);
  const SequencePtr sequence = stored(std::move(rows));
  return source("rows", words, [sequence](const OpenContext&) { return open_sequence(sequence); });
}

Dataset Dataset::generate(const std::string& name, std::function<Generator()> open) {
  return source("generate", name, [name, open = std::move(open)](const OpenContext&) {
    return open_generator("generate " + name, open);
  });
}

Dataset Dataset::concatenate(const std::vector<Dataset>& inputs) {
  return join("concatenate", "", inputs, open_concatenated);
}

Dataset Dataset::zip(const std::vector<Dataset>& inputs) {
  return join("zip", "", inputs, open_zipped);
}

Dataset Dataset::mix(const std::vector<Dataset>& inputs, const std::vector<double>& weights, std::uint64_t seed) {
  std::string words;
  for (const double weight : weights) words += exact_text(weight) + ", ";
  return join("mix", words + "seed " + std::to_string(seed), inputs,
              [weights, random = Random(seed, "mix")](std::vector<Opened> opened, const OpenContext& context) {
                return open_mixed(std::move(opened), context, weights, random);
              });
}

Dataset Dataset::interleave(const std::vector<Dataset>& inputs, std::uint64_t cycle, std::uint64_t block) {
  return join("interleave", "cycle " + std::to_string(cycle) + ", block " + std::to_string(block), inputs,
              [=](std::vector<Opened> opened, const OpenContext& context) {
                return open_interleaved(std::move(opened), context, cycle, block);
              });
}

Dataset Dataset::shuffle(const Shuffle& how) const {
  const Random random = shuffle_random(how.seed, shuffles_in(*plan_));
  return then("shuffle", words_for(how), [how, random](Opened from, const OpenContext& context) {
    return open_shuffle(std::move(from), context, how, random);
  });
}

Dataset Dataset::shard(std::uint64_t count, std::uint64_t index) const {
  return then(
      "shard", std::to_string(index) + " of " + std::to_string(count),
      [=](Opened from, const OpenContext& context) { return open_shard(std::move(from), context, count, index); });
}

Dataset Dataset::skip(std::uint64_t count) const {
  return then("skip", std::to_string(count), [=](Opened from, const OpenContext& context) {
    return open_cut(std::move(from), context, count, endless);
  });
}

Dataset Dataset::take(std::uint64_t count) const {
  return then("take", std::to_string(count),
              [=](Opened from, const OpenContext& context) { return open_cut(std::move(from), context, 0, count); });
}

Dataset Dataset::repeat(std::uint64_t times) const {
  return then("repeat", times >= endless ? "without end" : std::to_string(times),
              [=](Opened from, const OpenContext& context) { return open_repeat(std::move(from), context, times); });
}

Dataset Dataset::map(const std::string& name, RowsFunction function) const {
  return mapped("map", name, [name, function = std::move(function)](Rows& rows) {
    function(rows);
    require_whole(rows, "map " + name);
  });
}

Dataset Dataset::parse(std::vector<Feature> features, const std::string& from) const {
  const std::string words = words_for(features);
  return mapped("parse", from + ": " + words, parse_examples(std::move(features), from));
}

Dataset Dataset::filter(const std::string& name, Keep which) const {
  const RowsFunction leave_out = [name, which = std::move(which)](Rows& rows) {
    const std::vector<bool> kept = which(rows);
    if (kept.size() != rows.count)
      throw Error("filter " + name + ": tells of " + std::to_string(kept.size()) + " rows whether they stay, of " +
                  std::to_string(rows.count));
    keep(rows, kept);
  };
  return then("filter", name, [name, leave_out](Opened from, const OpenContext& context) {
    return open_filter(std::move(from), context, context.profile.timed("filter " + name, leave_out));
  });
}

Dataset Dataset::batch(std::uint64_t size, bool drop_remainder) const {
  return then("batch", std::to_string(size) + (drop_remainder ? ", whole ones only" : ""),
              [=](Opened from, const OpenContext& context) {
                return open_batch(std::move(from), context, {size, drop_remainder});
              });
}

Dataset Dataset::padded_batch(std::uint64_t size, std::vector<Padding> padding, bool drop_remainder) const {
  std::string words;
  for (const Padding& one : padding) {
    Rows value;
    value.columns.push_back({"", one.value});
    words += (words.empty() ? "" : ", ") + one.column + " by " + words_for(value);
  }
  return batch(size, drop_remainder).mapped("pad", words, pad_lists(std::move(padding)));
}

Dataset Dataset::prefetch(unsigned results) const {
  return then("prefetch", std::to_string(results), [=](Opened from, const OpenContext&) {
    from.results_ahead = results;
    return from;
  });
}

Dataset Dataset::cache(std::uint64_t most_bytes) const {
  return then("cache", "", [=](Opened from, const OpenContext& context) {
    return open_cache(std::move(from), context, most_bytes);
  });
}

Dataset Dataset::snapshot(const std::string& folder, const SnapshotOptions& options) const {
  Plan plan{"snapshot", "", {plan_}, [from = plan_, folder, options](std::vector<Opened>, const OpenContext& context) {
              return open_snapshot(*from, context.storages.for_url(folder), folder, options, context);
            }};
  plan.opens_inputs = true;
  return Dataset(std::move(plan));
}

Dataset Dataset::source(std::string stage, std::string asked, std::function<Opened(const OpenContext&)> open,
                        std::vector<std::string> files) {
  return Dataset({std::move(stage),
                  std::move(asked),
                  {},
                  [open = std::move(open)](std::vector<Opened>, const OpenContext& context) { return open(context); },
                  std::move(files)});
}

Dataset Dataset::join(const std::string& stage, std::string asked, const std::vector<Dataset>& inputs,
                      std::function<Opened(std::vector<Opened>, const OpenContext&)> open) {
  if (inputs.empty()) throw Error(stage + ": there is no input");
  std::vector<PlanPtr> from;
  for (const Dataset& input : inputs) from.push_back(input.plan_);
  return Dataset({stage, std::move(asked), std::move(from), std::move(open)});
}

Dataset Dataset::then(std::string stage, std::string asked,
                      std::function<Opened(Opened, const OpenContext&)> open) const {
  return Dataset({std::move(stage),
                  std::move(asked),
                  {plan_},
                  [open = std::move(open)](std::vector<Opened> inputs, const OpenContext& context) {
                    return open(std::move(inputs.front()), context);
                  }});
}

Dataset Dataset::mapped(const std::string& stage, const std::string& asked, RowsFunction function) const {
  const auto map = [name = stage + " " + asked, function = std::move(function)](Opened from,
                                                                                const OpenContext& context) {
    return open_map(std::move(from), context, context.profile.timed(name, function));
  };
  return then(stage, asked, map);
}

}  // namespace carrack::data
