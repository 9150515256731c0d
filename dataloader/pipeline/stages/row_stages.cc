#include "dataloader/pipeline/stages/row_stages.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "dataloader/crc32c.h"
#include "dataloader/error.h"
#include "dataloader/pipeline/rows/row_bytes.h"
#include "dataloader/pipeline/sequences/stored_rows.h"
#include "dataloader/pipeline/streams/derived_streams.h"

namespace carrack::data {
namespace {

// Returns a function that removes the rows of a batch that are not in the share of this reader. It is for streams: they
// are read from front to back, so each reader must read all batches as a whole. A reader of a sequence reads only its
// share.
RowsFunction keep_share(BatchShare share) {
  return [share](Rows& rows) {
    const Range own = lane_of(rows.count, share.count, share.index);
    std::vector<bool> is_kept(rows.count);
    for (std::size_t row = own.begin; row < own.end; ++row) is_kept[row] = true;
    filter_rows(rows, is_kept);
  };
}

// Throws an Error if the function of a map stage has set wrong indexes in the lost rows of a sequence. The text of the
// Error begins with `maker`.
void check_lost(const Rows& rows, const std::string& maker) {
  const std::size_t end = rows.count + rows.lost.size();
  const bool is_sorted = std::ranges::adjacent_find(rows.lost, std::greater_equal(), &Lost::index) == rows.lost.end();
  if (!is_sorted || (!rows.lost.empty() && rows.lost.back().index >= end))
    throw Error(maker + ": Rows::lost must have each index once, in order and below " + std::to_string(end) +
                "; use drop_bad_rows");
}

}  // namespace

Opened open_map(Opened input, const OpenContext& context, const RowsFunction& function) {
  if (input.is_sequence()) {
    Sequence elements = mapped(input.sequence(), function);
    return replace_elements(std::move(input), std::move(elements));
  }
  if (StreamedSequence* streamed = input.streamed_sequence()) {
    streamed->options.functions.push_back(function);
    return input;
  }
  OpenStream elements = [open = stream_of(input, context), function = function, &workers = context.workers,
                         ahead = context.ahead](std::uint64_t epoch) {
    return mapped(open(epoch), function, workers, ahead);
  };
  return replace_elements(std::move(input), std::move(elements));
}

Opened open_filter(Opened input, const OpenContext& context, const RowsFunction& function) {
  if (input.batch > 0) throw Error("filter: takes rows, and its input gives batches; filter before it");
  // A filter drops rows, so all earlier rows must be read to find the row at a place. The result is therefore a stream,
  // and no longer a sequence.
  if (input.is_sequence()) input.elements = StreamedSequence{input.sequence()};
  return open_map(std::move(input), context, function);
}

namespace stages {

Opened Map::open(Opened input, const OpenContext& context) const {
  const RowsFunction checked = [name = "map " + name, function = function,
                                is_sequence = input.is_sequence()](Rows& rows) {
    const std::size_t count = rows.count, lost = rows.lost.size();
    function(rows);
    check_rows(rows, name);
    if (rows.count + rows.lost.size() != count + lost)
      throw Error(name + ": " + std::to_string(count) + " rows and " + std::to_string(lost) + " lost ones became " +
                  std::to_string(rows.count) + " and " + std::to_string(rows.lost.size()) +
                  "; drop rows by filter, before batch");
    if (is_sequence) check_lost(rows, name);
  };
  return open_map(std::move(input), context, context.profile.timed("map " + name, checked));
}

Parse::Parse(std::vector<Feature> all, std::string of_column)
    : features(std::move(all)), column(std::move(of_column)), parser(parse_examples(features, column)) {}

Opened Parse::open(Opened input, const OpenContext& context) const {
  return open_map(std::move(input), context, context.profile.timed("parse " + description(), parser));
}

Opened Filter::open(Opened input, const OpenContext& context) const {
  const RowsFunction filter = [name = name, predicate = predicate](Rows& rows) {
    const std::size_t count = rows.count;
    const std::vector<bool> is_kept = predicate(rows);
    if (is_kept.size() != count)
      throw Error("filter " + name + ": returned " + std::to_string(is_kept.size()) + " values for " +
                  std::to_string(count) + " rows; return one for each row");
    filter_rows(rows, is_kept);
    // Otherwise each row in the buffer of a shuffle could keep a whole block of a file in memory.
    if (rows.count <= count / 2) rows = with_own_memory(std::move(rows));
  };
  return open_filter(std::move(input), context, context.profile.timed("filter " + name, filter));
}

std::string Batch::canonical() const {
  const std::uint64_t drop = options.drop_remainder ? 1 : 0;
  return CanonicalStage(kind).add("rows", options.size).add("drop_remainder", drop).text();
}

Opened Batch::open(Opened input, const OpenContext& context) const {
  if (input.batch > 0) throw Error("batch: takes rows, and its input gives batches");
  input.drop_remainder = options.drop_remainder;
  if (input.is_sequence()) {
    Sequence batches = batched(input.sequence(), options, context.share);
    return replace_elements(std::move(input), std::move(batches));
  }
  OpenStream batches = [open = stream_of(input, context), options = options](std::uint64_t epoch) {
    return batched(open(epoch), options);
  };
  Opened opened = replace_elements(std::move(input), std::move(batches));
  opened.batch = options.size;
  if (context.share.count == 1) return opened;
  return open_map(std::move(opened), context, keep_share(context.share));
}

std::string Pad::canonical() const {
  CanonicalStage stage(kind);
  for (const Padding& padding : columns)
    stage.add("column", padding.column).add("value_crc32c", crc32c_hex(checksum_of(padding.value)));
  return stage.text();
}

std::string Pad::description() const {
  std::vector<std::string> names;
  for (const Padding& padding : columns) names.push_back(padding.column);
  return join(names);
}

Opened Pad::open(Opened input, const OpenContext& context) const {
  return open_map(std::move(input), context, context.profile.timed("pad " + description(), pad_lists(columns)));
}

Opened Prefetch::open(Opened input, const OpenContext&) const {
  input.results_ahead = results;
  return input;
}

Opened Cache::open(Opened input, const OpenContext& context) const {
  if (input.is_sequence()) {
    Sequence elements = cached(input.sequence(), max_bytes, context.error_prefix);
    return replace_elements(std::move(input), std::move(elements));
  }
  if (input.batch > 0)
    throw Error("cache: what comes is not known before it comes, and cannot be kept in batches; cache before batch");
  constexpr std::size_t first_skipped_max = 100;
  Rows all;
  std::vector<std::shared_ptr<const void>> memory;
  std::uint64_t bytes = 0;
  const StreamPtr stream = stream_of(input, context)(0);
  while (std::optional<Rows> rows = stream->next()) {
    for (Lost& lost : rows->lost) {
      // A changed file may have other rows, so this is not a single bad row that may be left out.
      if (context.on_damage == OnDamage::stop || lost.why.fault == Fault::changed)
        throw Error("cache: " + text(lost.why));
      ++input.facts.skipped_rows;
      if (input.facts.first_skipped.size() < first_skipped_max)
        input.facts.first_skipped.push_back(std::move(lost.why));
    }
    bytes += bytes_of(*rows);
    check_cache_size(bytes, max_bytes);
    Rows own = with_own_memory(*std::move(rows));
    std::ranges::move(own.memory, std::back_inserter(memory));
    own.memory.clear();
    if (own.count > 0) append(all, own, {0, own.count});
  }
  // The memory of all chunks has one owner, because each read of rows goes through the list of owners.
  all.memory.assign(1, std::make_shared<const std::vector<std::shared_ptr<const void>>>(std::move(memory)));
  // All rows are in memory now, so later stages can read them in any order at no cost.
  input.facts.is_remote = false;
  input.facts.held_rows = 0;
  input.results_ahead = 0;
  return replace_elements(std::move(input), stored(std::move(all)));
}

}  // namespace stages
}  // namespace carrack::data
