#include "dataloader/pipeline/stages/stages.h"

#include <algorithm>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/pipeline/sequences/held_runs.h"
#include "dataloader/pipeline/sequences/stored_rows.h"

namespace carrack::data {
namespace {

Opened with(SequencePtr sequence, Opened before) {
  before.batch = sequence->batch();
  before.sequence = std::move(sequence);
  return before;
}

Opened stream_from(OpenStream stream, std::uint64_t batch, Resume resume = Resume::exact) {
  Opened opened;
  opened.stream = std::move(stream);
  opened.batch = batch;
  opened.resume = resume;
  return opened;
}

// A stage that only orders.
Opened ordered(Opened from, const OpenContext& context, const std::function<Reorder(std::uint64_t)>& order,
               const std::function<StreamPtr(StreamPtr)>& stream) {
  if (from.is_sequence()) return with(reordered(from.sequence, order(from.sequence->size())), from);
  return stream_from([open = stream_of(from, context), stream](std::uint64_t epoch) { return stream(open(epoch)); },
                     from.batch);
}

// Which rows a stream's batch has is known once all before it have been read: each reader reads all of it.
RowsFunction own_share(BatchShare share) {
  return [share](Rows& rows) {
    const Range own = lane_of(rows.count, share.of, share.index);
    std::vector<bool> kept(rows.count);
    for (std::size_t row = own.begin; row < own.end; ++row) kept[row] = true;
    keep(rows, kept);
  };
}

std::uint64_t rows_of_a_block(const Sequence& sequence) {
  constexpr std::uint64_t unknown = 1024;
  const std::uint64_t each = sequence.element_bytes();
  return each > 0 ? std::max<std::uint64_t>(Shuffle::block_bytes / each, 1) : unknown;
}

Opened shuffled_in_blocks(Opened from, const OpenContext& context, Shuffle how, const Random& random,
                          const std::string& place) {
  const SequencePtr& sequence = from.sequence;
  const Blocks blocks{how.block > 0 ? how.block : rows_of_a_block(*sequence), window_of_lane(how, context.lanes)};
  if (from.batch > 0) return with(reordered(sequence, block_shuffled(sequence->size(), blocks, random)), from);
  const BlockOrder order(sequence->size(), blocks, random);
  from.held_rows = std::min(order.held(), order.size());
  return with(in_blocks(sequence, order, {context.lanes, context.held_memory, place}), from);
}

}  // namespace

std::uint64_t window_of_lane(const Shuffle& shuffle, std::uint64_t lanes) {
  return shuffle.window > 0 ? std::max<std::uint64_t>(shuffle.window / lanes, 1) : 0;
}

Random shuffle_random(std::uint64_t seed, std::uint64_t before) {
  return Random(seed, before == 0 ? "order" : "order " + std::to_string(before));
}

Opened open_shuffle(Opened from, const OpenContext& context, Shuffle how, const Random& random,
                    const std::string& place) {
  using Kind = Shuffle::Kind;
  // What is far or held by runs is read in its order, and its rows are held: the buffer's numbers would each be a
  // request, or a run.
  const bool is_read_in_turn = from.is_far || from.held_rows > 0;
  if (!from.is_sequence() || (how.kind == Kind::buffer && is_read_in_turn && from.batch == 0)) {
    if (how.kind != Kind::buffer)
      throw Error(
          "shuffle: what comes is not known before it comes, so it is shuffled through a buffer (kind: buffer), "
          "or before the stage that makes it so");
    if (from.batch > 0) throw Error("shuffle: takes rows, and its input gives batches; shuffle before it");
    const auto through_buffer = [open = stream_of(from, context), how, random](std::uint64_t epoch) {
      return shuffled(open(epoch), how.buffer, random, epoch);
    };
    Opened shuffled_rows = stream_from(through_buffer, from.batch, Resume::exact_state);
    shuffled_rows.state_rows = from.state_rows + how.buffer;
    return shuffled_rows;
  }
  const SequencePtr& sequence = from.sequence;
  if (how.kind == Kind::by_place) how.kind = from.is_far ? Kind::block : Kind::full;
  if (from.held_rows > 0) {
    throw Error(
        "shuffle: its rows are shuffled in blocks already, and to take them in another order would read each block "
        "again and again; leave one of the two out, or make the first one full");
  }
  from.spread = how.kind == Kind::full    ? Spread::scattered
                : how.kind == Kind::block ? std::max(from.spread, Spread::runs)
                                          : from.spread;
  if (how.kind == Kind::full) return with(reordered(sequence, shuffled(sequence->size(), random)), from);
  if (how.kind == Kind::block) {
    return shuffled_in_blocks(std::move(from), context, how, random, place);
  }
  from.visited = true;
  from.how.buffer = Visit::Buffer{how.buffer, random};
  return from;
}

Opened open_shard(Opened from, const OpenContext& context, std::uint64_t count, std::uint64_t index) {
  return ordered(
      std::move(from), context, [=](std::uint64_t size) { return sharded(size, count, index); },
      [=](StreamPtr stream) { return sharded(std::move(stream), count, index); });
}

Opened open_cut(Opened from, const OpenContext& context, std::uint64_t skip, std::uint64_t take) {
  return ordered(
      std::move(from), context, [=](std::uint64_t size) { return cut(size, skip, take); },
      [=](StreamPtr stream) { return cut(std::move(stream), skip, take); });
}

Opened open_repeat(Opened from, const OpenContext& context, std::uint64_t times) {
  if (from.is_sequence()) return with(reordered(from.sequence, repeated(from.sequence->size(), times)), from);
  if (from.sequence) {
    from.how.epochs = repeated(from.how.epochs, times).size;
    return from;
  }
  const auto epochs = [open = stream_of(from, context), times](std::uint64_t outer) {
    const std::uint64_t before = times < endless ? outer * times : 0;
    return repeated([open, before](std::uint64_t epoch) { return open(before + epoch); }, times);
  };
  return stream_from(epochs, from.batch);
}

Opened open_map(Opened from, const OpenContext& context, const RowsFunction& function) {
  if (from.is_sequence()) return with(mapped(from.sequence, function), from);
  if (from.sequence) {
    from.how.functions.push_back(function);
    return from;
  }
  const auto map = [open = stream_of(from, context), function, &workers = context.workers, ahead = context.ahead](
                       std::uint64_t epoch) { return mapped(open(epoch), function, workers, ahead); };
  return stream_from(map, from.batch);
}

Opened open_filter(Opened from, const OpenContext& context, const RowsFunction& function) {
  if (from.batch > 0) throw Error("filter: takes rows, and its input gives batches; filter before it");
  from.visited = true;
  return open_map(std::move(from), context, function);
}

Opened open_batch(Opened from, const OpenContext& context, BatchOptions options) {
  if (from.batch > 0) throw Error("batch: takes rows, and its input gives batches");
  if (from.is_sequence()) return with(batched(from.sequence, options, context.share), from);
  const auto batches = [open = stream_of(from, context), options](std::uint64_t epoch) {
    return batched(open(epoch), options);
  };
  Opened whole = stream_from(batches, options.size);
  return context.share.of == 1 ? whole : open_map(std::move(whole), context, own_share(context.share));
}

Opened open_cache(Opened from, const OpenContext& context, std::uint64_t most_bytes, std::string place) {
  if (from.is_sequence()) return with(cached(from.sequence, most_bytes, std::move(place)), from);
  if (from.batch > 0)
    throw Error("cache: what comes is not known before it comes, and cannot be kept in batches; cache before batch");
  Rows all;
  std::uint64_t bytes = 0;
  const StreamPtr stream = stream_of(from, context)(0);
  while (const std::optional<Rows> rows = stream->next()) {
    if (!rows->lost.empty()) throw Error("cache: " + text(rows->lost.front().why));
    if (rows->count > 0) append(all, *rows, {0, rows->count});
    bytes += bytes_of(*rows);
    require_room(bytes, most_bytes);
  }
  Opened opened = open_sequence(stored(std::move(all)));
  opened.in_memory = true;
  return opened;
}

Opened open_sequence(SequencePtr sequence) {
  return with(std::move(sequence), {});
}

}  // namespace carrack::data
