// Stages that choose which elements come and in which order: shuffle, shard, skip, take, repeat. See record_stages.h
// for what the members of a stage are.
#pragma once

#include <cstdint>
#include <string>

#include "dataloader/pipeline/stages/opened.h"

namespace carrack::data {

struct Shuffle {
  enum class Kind : std::uint8_t {
    by_place,  // full for local files, block for remote ones
    full,      // Every order is equally likely. Each record is read by itself.
    block,     // Runs of neighbours in a shuffled order, of which some are held: long reads.
    buffer,    // as in tf.data
  };
  Kind kind = Kind::by_place;
  std::uint64_t seed = 0;
  std::uint64_t block = 0;    // rows in a run; 0: as many as have block_bytes
  std::uint64_t window = 16;  // runs whose rows are held
  std::uint64_t buffer = 10'000;
  bool operator==(const Shuffle&) const = default;

  static constexpr std::uint64_t block_bytes = std::uint64_t{4} << 20;
};

// The runs that one lane holds. Lanes that read parts of an epoch side by side share the window, and have at least one
// run each.
std::uint64_t window_of_lane(const Shuffle& shuffle, std::uint64_t lanes);

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
  std::string canonical() const;
  std::string description() const;
  Opened open(Opened input, const OpenContext& context) const;
};

struct Skip {
  std::uint64_t count = 0;

  static constexpr const char* kind = "skip";
  std::string canonical() const;
  std::string description() const;
  Opened open(Opened input, const OpenContext& context) const;
};

struct Take {
  std::uint64_t count = 0;

  static constexpr const char* kind = "take";
  std::string canonical() const;
  std::string description() const;
  Opened open(Opened input, const OpenContext& context) const;
};

// Each repetition is another epoch, with other random draws.
struct Repeat {
  std::uint64_t times = endless;

  static constexpr const char* kind = "repeat";
  std::string canonical() const;
  std::string description() const;
  Opened open(Opened input, const OpenContext& context) const;
};

}  // namespace stages
}  // namespace carrack::data
