// The stages of `spec.data.train`: what is done with the records of an epoch, in order, before they are cut into
// batches. docs/reference/trainingjob.md describes them for users.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <variant>

#include "trainer/launch/overloaded.h"
#include "trainer/launch/spellings.h"

namespace carrack::train {

// Reads from `cycle` files alternately, `block` records from each at a time.
struct Interleave {
  std::int64_t cycle = 16;
  std::int64_t block = 1;
  bool operator==(const Interleave&) const = default;
};

// Keeps every `count`th record, beginning with record number `index`, which counts from 0.
struct Shard {
  std::int64_t count = 1;
  std::int64_t index = 0;
  bool operator==(const Shard&) const = default;
};

struct Skip {
  std::int64_t records = 0;
  bool operator==(const Skip&) const = default;
};

struct Take {
  std::int64_t records = 1;
  bool operator==(const Take&) const = default;
};

enum class ShuffleKind { by_place, full, block };
template <>
inline constexpr Spelling<ShuffleKind> spellings<ShuffleKind>[] = {
    {ShuffleKind::by_place, "ByPlace"}, {ShuffleKind::full, "Full"}, {ShuffleKind::block, "Block"}};

struct Shuffle {
  ShuffleKind kind = ShuffleKind::by_place;  // by_place: full for local files, block for remote storage
  std::int64_t block = 0;                    // for block: number of records in a run; 0: as many as fill 4 MiB
  std::int64_t window = 16;                  // for block: number of runs that are mixed at a time
  bool operator==(const Shuffle&) const = default;
};

struct Repeat {
  std::int64_t times = 1;
  bool operator==(const Repeat&) const = default;
};

// Each process retains the records that it has read in memory.
struct Cache {
  std::string memory;  // a quantity such as "512Mi"; the job fails if the records need more
  bool operator==(const Cache&) const = default;
};

// Keeps the records in which all values of `feature` are within [min, max]; nullopt: no such limit. Their number is
// known only once all records were read, so a Snapshot must follow.
struct Filter {
  std::string feature;
  std::optional<double> min, max;
  bool operator==(const Filter&) const = default;
};

// Writes the result of the stages before it to `folder`, once for all jobs with the same data and stages. The stages
// after it read from there.
struct Snapshot {
  std::string folder;
  bool operator==(const Snapshot&) const = default;
};

using Stage = std::variant<Interleave, Shard, Skip, Take, Shuffle, Repeat, Cache, Filter, Snapshot>;

enum class StageKind { interleave, shard, skip, take, shuffle, repeat, cache, filter, snapshot };
template <>
inline constexpr Spelling<StageKind> spellings<StageKind>[] = {{StageKind::interleave, "interleave"},
                                                               {StageKind::shard, "shard"},
                                                               {StageKind::skip, "skip"},
                                                               {StageKind::take, "take"},
                                                               {StageKind::shuffle, "shuffle"},
                                                               {StageKind::repeat, "repeat"},
                                                               {StageKind::cache, "cache"},
                                                               {StageKind::filter, "filter"},
                                                               {StageKind::snapshot, "snapshot"}};
static_assert(std::size(spellings<StageKind>) == std::variant_size_v<Stage>);

inline StageKind kind_of(const Stage& stage) {
  return std::visit(
      overloaded{[](const Interleave&) { return StageKind::interleave; }, [](const Shard&) { return StageKind::shard; },
                 [](const Skip&) { return StageKind::skip; }, [](const Take&) { return StageKind::take; },
                 [](const Shuffle&) { return StageKind::shuffle; }, [](const Repeat&) { return StageKind::repeat; },
                 [](const Cache&) { return StageKind::cache; }, [](const Filter&) { return StageKind::filter; },
                 [](const Snapshot&) { return StageKind::snapshot; }},
      stage);
}

}  // namespace carrack::train
