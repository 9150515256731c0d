#include "dataloader/pipeline/stages/order_stages.h"

#include <algorithm>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/pipeline/sequences/held_runs.h"

namespace carrack::data {
namespace {

// Returns the number of rows in a run of a block shuffle: about as many as Shuffle::block_bytes contains.
std::uint64_t rows_of_block(const Sequence& sequence) {
  constexpr std::uint64_t if_size_is_unknown = 1024;
  const std::uint64_t row_bytes = sequence.element_bytes();
  return row_bytes > 0 ? std::max<std::uint64_t>(Shuffle::block_bytes / row_bytes, 1) : if_size_is_unknown;
}

Opened shuffle_in_blocks(Opened input, const OpenContext& context, const Shuffle& options, const Random& random) {
  const Sequence& sequence = input.sequence();
  const Blocks blocks{options.block > 0 ? options.block : rows_of_block(sequence),
                      window_of_lane(options, context.lanes)};
  input.facts.read_order = std::max(input.facts.read_order, ReadOrder::runs);
  if (input.batch > 0) {
    // block_shuffled_sequence() stores single rows in memory. Batches only get the order of a block shuffle.
    Sequence batches = reordered(sequence, block_shuffled(sequence.size(), blocks, random));
    return replace_elements(std::move(input), std::move(batches));
  }
  const BlockOrder order(sequence.size(), blocks, random);
  input.facts.held_rows = std::min(order.window_elements(), order.size());
  Sequence rows =
      block_shuffled_sequence(sequence, order, {context.lanes, context.shuffle_memory, context.error_prefix});
  return replace_elements(std::move(input), std::move(rows));
}

Opened shuffle_stream(Opened input, const OpenContext& context, const Shuffle& options, const Random& random) {
  if (options.kind != Shuffle::Kind::buffer)
    throw Error(
        "shuffle: what comes is not known before it comes, so it is shuffled through a buffer (kind: buffer), "
        "or before the stage that makes it so");
  if (input.batch > 0) throw Error("shuffle: takes rows, and its input gives batches; shuffle before it");
  input.facts.resume = std::max(input.facts.resume, Resume::exact_state);
  input.facts.state_rows += options.buffer;
  OpenStream rows = [open = stream_of(input, context), buffer = options.buffer, random](std::uint64_t epoch) {
    return shuffled(open(epoch), buffer, random, epoch);
  };
  return replace_elements(std::move(input), std::move(rows));
}

}  // namespace

std::uint64_t window_of_lane(const Shuffle& shuffle, std::uint64_t lanes) {
  return shuffle.window > 0 ? std::max<std::uint64_t>(shuffle.window / lanes, 1) : 0;
}

// If the input is a sequence, the result is one, too: each of its places is a known place of the input.
Opened open_range(Opened input, const OpenContext& context, ElementRange range) {
  if (input.is_sequence()) {
    const Sequence& sequence = input.sequence();
    Sequence elements = reordered(sequence, ranged(sequence.size(), range));
    return replace_elements(std::move(input), std::move(elements));
  }
  OpenStream elements = [open = stream_of(input, context), range](std::uint64_t epoch) {
    return ranged(open(epoch), range);
  };
  return replace_elements(std::move(input), std::move(elements));
}

namespace stages {

std::string ShuffleRows::canonical() const {
  CanonicalStage stage(kind);
  switch (options.kind) {
    case Shuffle::Kind::full:
      stage.add("kind", "full");
      break;
    case Shuffle::Kind::buffer:
      stage.add("kind", "buffer").add("buffer", options.buffer);
      break;
    case Shuffle::Kind::block:
    case Shuffle::Kind::by_place:
      stage.add("kind", options.kind == Shuffle::Kind::block ? "block" : "by_place")
          .add("block", options.block)
          .add("window", options.window);
      break;
  }
  return stage.add("seed", options.seed).text();
}

std::string ShuffleRows::description() const {
  const std::string seed = ", seed " + std::to_string(options.seed);
  const std::string runs = "runs of " + (options.block > 0 ? std::to_string(options.block) + " rows" : "4 MiB") + ", " +
                           std::to_string(options.window) + " at once";
  switch (options.kind) {
    case Shuffle::Kind::full:
      return "full" + seed;
    case Shuffle::Kind::block:
      return runs + seed;
    case Shuffle::Kind::buffer:
      return "buffer of " + std::to_string(options.buffer) + seed;
    case Shuffle::Kind::by_place:
      return "full or " + runs + seed;
  }
  return "";
}

Opened ShuffleRows::open(Opened input, const OpenContext& context) const {
  const Random random(options.seed, earlier_shuffles == 0 ? "order" : "order " + std::to_string(earlier_shuffles));
  // A buffer shuffles the places of a sequence, so rows would be read at scattered places. That would cost a request
  // for each remote row, and the read of a run for each row of a block shuffle. Such rows are read in order instead,
  // and the buffer holds the rows.
  const bool must_read_in_order = input.facts.is_remote || input.facts.held_rows > 0;
  if (!input.is_sequence() || (options.kind == Shuffle::Kind::buffer && must_read_in_order && input.batch == 0))
    return shuffle_stream(std::move(input), context, options, random);
  if (input.facts.held_rows > 0)
    throw Error(
        "shuffle: its rows are shuffled in blocks already, and to take them in another order would read each block "
        "again and again; leave one of the two out, or make the first one full");
  const bool is_block =
      options.kind == Shuffle::Kind::block || (options.kind == Shuffle::Kind::by_place && input.facts.prefers_runs());
  if (is_block) return shuffle_in_blocks(std::move(input), context, options, random);
  const Sequence sequence = input.sequence();
  if (options.kind == Shuffle::Kind::buffer) {
    input.elements = StreamedSequence{sequence, {.buffer = SequenceStreamOptions::Buffer{options.buffer, random}}};
    return input;
  }
  input.facts.read_order = ReadOrder::scattered;
  return replace_elements(std::move(input), reordered(sequence, shuffled(sequence.size(), random)));
}

Opened Repeat::open(Opened input, const OpenContext& context) const {
  if (input.is_sequence()) {
    const Sequence& sequence = input.sequence();
    Sequence elements = reordered(sequence, repeated(sequence.size(), times));
    return replace_elements(std::move(input), std::move(elements));
  }
  if (StreamedSequence* streamed = input.streamed_sequence()) {
    streamed->options.epochs = repeated(streamed->options.epochs, times).size;
    return input;
  }
  OpenStream elements = [open = stream_of(input, context), times = times,
                         is_shared = context.share.count > 1](std::uint64_t outer) {
    const std::uint64_t first_epoch = times < endless ? outer * times : 0;
    return repeated([open, first_epoch](std::uint64_t epoch) { return open(first_epoch + epoch); }, times, is_shared);
  };
  return replace_elements(std::move(input), std::move(elements));
}

}  // namespace stages
}  // namespace carrack::data
