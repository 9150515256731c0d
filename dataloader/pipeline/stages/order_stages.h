// Stages that choose which elements are returned and in which order: shuffle, shard, skip, take, repeat.
// record_stages.h explains the members of a stage.
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

// Returns the number of runs in the window of one lane. Lanes that read parts of an epoch at the same time share the
// window equally, and each has at least one run. Returns 0 if shuffle.window is 0, which open() refuses. `lanes` must
// not be 0.
std::uint64_t window_of_lane(const Shuffle& shuffle, std::uint64_t lanes);

// Opens only the elements in the range; they remain a sequence if the input is one.
Opened open_range(Opened input, const OpenContext& context, ElementRange range);

namespace stages {

struct ShuffleRows {
  Shuffle options;
  // The number of shuffles among the stages before this one. Without it, shuffles with the same seed would draw the
  // same order.
  std::uint64_t earlier_shuffles = 0;

  static constexpr const char* kind = "shuffle";
  std::string canonical() const;
  std::string description() const;
  // Throws an Error for a shuffle that options.h does not allow for the input. Reading throws Refused if the rows that
  // a block shuffle must hold do not fit into the memory.
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
