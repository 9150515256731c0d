// Stages that choose which elements come and in which order: shuffle, shard, skip, take, repeat. See record_stages.h
// for what the members of a stage are.
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

// The runs that one lane holds. Lanes that read parts of an epoch side by side share the window, and have at least one
// run each.
std::uint64_t window_of_lane(const Shuffle& shuffle, std::uint64_t lanes);

// Opens these of the elements.
Opened open_range(Opened input, const OpenContext& context, ElementRange range);

namespace stages {

struct ShuffleRows {
  Shuffle options;
  // How many shuffles the stages before this one have: shuffles of one seed draw different orders.
  std::uint64_t earlier_shuffles = 0;

  static constexpr const char* kind = "shuffle";
  std::string canonical() const;
  std::string description() const;
  // Throws a Refused later, while rows are read, if the rows of a block shuffle's window do not fit in memory.
  Opened open(Opened input, const OpenContext& context) const;
};

// Every `count`th element, starting with the `index`th.
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

// Each repetition is another epoch, with other random draws.
struct Repeat {
  std::uint64_t times = endless;

  static constexpr const char* kind = "repeat";
  std::string canonical() const { return CanonicalStage(kind).add("times", std::min(times, endless)).text(); }
  std::string description() const { return times >= endless ? "without end" : std::to_string(times); }
  Opened open(Opened input, const OpenContext& context) const;
};

}  // namespace stages
}  // namespace carrack::data
