// Options of stages that users of Dataset set. They are apart from the stages, so that dataset.h needs no more than
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dataloader/pipeline/rows/rows.h"
#include "dataloader/records/compression.h"

namespace carrack::data {

// Which files records come from, in the order of their names for each pattern.
struct RecordFiles {
  std::vector<std::string> patterns = {};
  // Interleaves `cycle` files, `block` records of each in turn; cycle 0 reads one file after the other.
  std::uint64_t cycle = 0, block = 1;
};

// Returns any number of rows at a time, and nullopt at the end. Called by one thread at a time. Resuming calls a new
// generator and skips the rows that were read before, so it must return the same rows in the same chunks.
using Generator = std::function<std::optional<Rows>()>;

// Returns for each row whether it stays: a vector of Rows::count elements. Called by many threads at once.
using RowPredicate = std::function<std::vector<bool>(const Rows&)>;

// Streams, and rows that a block shuffle has shuffled, can only be shuffled by Kind::buffer. Opening a Reading throws
// an Error for other kinds.
struct Shuffle {
  enum class Kind : std::uint8_t {
    by_place,  // full for local files, block for remote and for compressed ones
    full,      // Every order is equally likely. Each record is read by itself.
    block,     // Runs of neighbours are read in a shuffled order, some runs at once: long reads.
    buffer,    // As in tf.data: each row is drawn from the next `buffer` ones.
  };
  Kind kind = Kind::by_place;
  std::uint64_t seed = 0;
  std::uint64_t block = 0;        // rows in a run; 0: as many as have block_bytes
  std::uint64_t window = 16;      // runs in memory at once
  std::uint64_t buffer = 10'000;  // rows in the buffer
  bool operator==(const Shuffle&) const = default;

  static constexpr std::uint64_t block_bytes = std::uint64_t{4} << 20;
};

struct SnapshotOptions {
  Compression compression = Compression::none;  // or gzip
  std::uint64_t shard_rows = 0;                 // rows of a file; 0: as many as take about 64 MiB, as far as is known
  std::uint64_t max_bytes = endless;            // of records, before compression; more is an Error
};

}  // namespace carrack::data
