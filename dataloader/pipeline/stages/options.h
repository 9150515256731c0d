// Options of stages that users of Dataset set. They are not in the headers of the stages, so that dataset.h includes
// only this.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dataloader/pipeline/rows/rows.h"
#include "dataloader/records/compression.h"

namespace carrack::data {

// Which files of records to read: for each pattern those that match, sorted by URL. A file that two patterns match is
// read twice.
struct RecordFiles {
  std::vector<std::string> patterns = {};
  // If `cycle` is 0, one file is read after the other. Otherwise at most `cycle` files are read at a time, `block`
  // records of each in turns (order/interleave.h); files without records take no turn.
  std::uint64_t cycle = 0, block = 1;
};

// Returns any number of rows at a time, and nullopt at the end. Called by one thread at a time, and not again after
// nullopt. Resuming calls a new generator and skips the rows that were read before, so it must return the same rows in
// the same chunks.
using Generator = std::function<std::optional<Rows>()>;

// Returns for each row whether it is kept: a vector of Rows::count elements. Called by many threads at once.
using RowPredicate = std::function<std::vector<bool>(const Rows&)>;

// A stream of rows, and rows that a block shuffle has shuffled, can only be shuffled by Kind::buffer: opening a Reading
// throws an Error for the other kinds, also for the default. A stream of batches cannot be shuffled, nor can batches of
// rows that a block shuffle has shuffled.
struct Shuffle {
  enum class Kind : std::uint8_t {
    by_place,  // `full` for local files, `block` for remote and for compressed ones
    full,      // Every order is equally likely. Each record is read on its own.
    block,     // Runs of neighbours are read, in a shuffled order; rows are drawn from the window.
    buffer,    // As in tf.data: each row is drawn from the next `buffer` ones.
  };
  Kind kind = Kind::by_place;
  std::uint64_t seed = 0;
  std::uint64_t block = 0;        // elements in a run; 0: as many as have block_bytes, 1,024 if unknown
  std::uint64_t window = 16;      // runs in memory at once, shared by the lanes; at least 1
  std::uint64_t buffer = 10'000;  // elements in the buffer, at least 1
  bool operator==(const Shuffle&) const = default;

  static constexpr std::uint64_t block_bytes = std::uint64_t{4} << 20;
};

struct SnapshotOptions {
  Compression compression = Compression::none;  // none or gzip
  std::uint64_t shard_rows = 0;                 // rows of a file; 0: about 64 MiB of them, 65,536 if unknown
  std::uint64_t max_bytes = endless;            // of records, before compression; an Error if it takes more
};

}  // namespace carrack::data
