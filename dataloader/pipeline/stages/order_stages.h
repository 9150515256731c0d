// The stages of Dataset that choose which elements (rows or batches) are returned, and in which order: shuffle, shard,
// skip, take, repeat. record_stages.h explains the members that all stages have.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "dataloader/pipeline/stages/canonical.h"
#include "dataloader/pipeline/stages/opened.h"
#include "dataloader/pipeline/stages/options.h"
#include "dataloader/pipeline/streams/derived_streams.h"

namespace carrack::data {

// Returns how many runs of a block shuffle each of `lanes` lanes (shares of every batch) has in memory. Lanes that read
// parts of an epoch at the same time share shuffle.window equally, and each has at least one run: 4 for a window of 16
// and 4 lanes. Returns 0 if shuffle.window is 0, which open() refuses. `lanes` must not be 0.
std::uint64_t window_of_lane(const Shuffle& shuffle, std::uint64_t lanes);

// Opens only the elements of the input in the range, for the stages shard, skip and take. They are a sequence if the
// input is one, and otherwise a stream, which reads and drops the others.
Opened open_range(Opened input, const OpenContext& context, ElementRange range);

namespace stages {

struct ShuffleRows {
  Shuffle options;
  // The number of shuffles among all stages before this one, which Dataset and the trainer set. It makes shuffles with
  // the same seed draw different orders.
  std::uint64_t earlier_shuffles = 0;

  static constexpr const char* kind = "shuffle";
  std::string canonical() const;
  std::string description() const;
  // Throws an Error for a shuffle that options.h does not allow for the input. Reading throws Refused if the rows of
  // the window of a block shuffle do not fit into context.shuffle_memory.
  Opened open(Opened input, const OpenContext& context) const;
};

// Every `count`th element, beginning with element `index`, counted from 0. open() throws an Error unless `index` is
// less than `count`.
struct Shard {
  std::uint64_t count = 1, index = 0;

  static constexpr const char* kind = "shard";
  std::string canonical() const { return CanonicalStage(kind).add("index", index).add("count", count).text(); }
  std::string description() const { return std::to_string(index) + " of " + std::to_string(count); }
  Opened open(Opened input, const OpenContext& context) const {
    return open_range(std::move(input), context, shard_range(count, index));
  }
};

struct Skip {
  std::uint64_t count = 0;

  static constexpr const char* kind = "skip";
  std::string canonical() const { return CanonicalStage(kind).add("count", count).text(); }
  std::string description() const { return std::to_string(count); }
  Opened open(Opened input, const OpenContext& context) const {
    return open_range(std::move(input), context, {.begin = count});
  }
};

struct Take {
  std::uint64_t count = 0;

  static constexpr const char* kind = "take";
  std::string canonical() const { return CanonicalStage(kind).add("count", count).text(); }
  std::string description() const { return std::to_string(count); }
  Opened open(Opened input, const OpenContext& context) const {
    return open_range(std::move(input), context, {.end = count});
  }
};

// Each repetition is another epoch, with other random draws. 0 repetitions have no elements.
struct Repeat {
  std::uint64_t times = endless;

  static constexpr const char* kind = "repeat";
  std::string canonical() const { return CanonicalStage(kind).add("times", std::min(times, endless)).text(); }
  std::string description() const { return times >= endless ? "without end" : std::to_string(times); }
  Opened open(Opened input, const OpenContext& context) const;
};

}  // namespace stages
}  // namespace carrack::data
