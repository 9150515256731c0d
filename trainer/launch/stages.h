// The stages of `spec.data.train.stages` as plain structs. A stage selects or reorders the records of an epoch, like a
// transformation of tf.data. Stages are applied in the order of the list; their result is divided into batches. This
// header only describes them: loop/data/input.cc applies them, filters and snapshots loop/data/job_files.cc.
// docs/reference/trainingjob.md describes them for users.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <variant>

#include "trainer/launch/overloaded.h"
#include "trainer/launch/spellings.h"

namespace carrack::train {

// Reads from `cycle` files in turn, `block` records from each, as tf.data's interleave. Without it, files are read one
// after the other.
struct Interleave {
  std::int64_t cycle = 16;
  std::int64_t block = 1;
  bool operator==(const Interleave&) const = default;
};

// Selects every `count`th record, from number `index` on: {3, 1} selects records 1, 4, 7, ..., counted from 0.
struct Shard {
  std::int64_t count = 1;
  std::int64_t index = 0;
  bool operator==(const Shard&) const = default;
};

// Drops the first `records` records of each epoch.
struct Skip {
  std::int64_t records = 0;
  bool operator==(const Skip&) const = default;
};

// Drops all but the first `records` records of each epoch.
struct Take {
  std::int64_t records = 1;
  bool operator==(const Take&) const = default;
};

enum class ShuffleKind { by_place, full, block };
template <>
inline constexpr Spelling<ShuffleKind> spellings<ShuffleKind>[] = {
    {ShuffleKind::by_place, "ByPlace"}, {ShuffleKind::full, "Full"}, {ShuffleKind::block, "Block"}};

// Puts the records in another random order in each epoch.
// - full: any record may come at any position, so each record is read by itself.
// - block: reads runs (neighbouring records) in random order, and mixes the records of `window` runs at a time.
// - by_place: block for remote and compressed files, full for all others.
struct Shuffle {
  ShuffleKind kind = ShuffleKind::by_place;
  std::int64_t block = 0;    // number of records in a run; 0: as many as fill 4 MiB; not used by full
  std::int64_t window = 16;  // number of runs; not used by full
  bool operator==(const Shuffle&) const = default;
};

// Makes an epoch of `times` passes over the records, each shuffled again. Later stages see one long epoch.
struct Repeat {
  std::int64_t times = 1;
  bool operator==(const Repeat&) const = default;
};

// Each worker stores the records that it has read in its memory, and reads them from there when it needs them again.
struct Cache {
  std::string memory;  // a size such as "512Mi" (quantity.h); the job fails if the records need more
  bool operator==(const Cache&) const = default;
};

// Drops the records in which any value of `feature` is NaN or outside [min, max]; nullopt: no such limit. A Snapshot
// must follow, because the number of the other records is known only once all were read.
struct Filter {
  std::string feature;
  std::optional<double> min, max;
  bool operator==(const Filter&) const = default;
};

// Writes the records that remain after the filters to TFRecord files in `folder`, once for all jobs with the same data
// and filters. The stages after it read these files.
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
