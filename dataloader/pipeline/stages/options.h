// The options that users of Dataset pass to its methods: which files, how to shuffle, how to write a snapshot, and the
// types of their functions. In a header of their own, so that dataset.h need not include the stages.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dataloader/pipeline/rows/rows.h"
#include "dataloader/records/compression.h"

namespace carrack::data {

// Which TFRecord files to read: for each pattern the files that match, sorted by URL. A file that two patterns match is
// read twice.
struct RecordFiles {
  std::vector<std::string> patterns = {};
  // If `cycle` is 0, one file is read after the other. Otherwise at most `cycle` files are read at a time, `block`
  // records of each in a turn (order/interleave.h). Files without records have no turn.
  std::uint64_t cycle = 0, block = 1;
};

// A function that makes the rows of one epoch: each call returns the next rows, any number of them, and nullopt at the
// end. Called by one thread at a time, and not again after nullopt. To resume, a new generator is called and the rows
// that were read before are skipped. So each generator must return the same rows in the same chunks.
using Generator = std::function<std::optional<Rows>()>;

// A function for Dataset::filter(). Returns for each row whether it stays: a vector of Rows::count elements. Many
// threads may call it at the same time.
using RowPredicate = std::function<std::vector<bool>(const Rows&)>;

// How Dataset::shuffle() shuffles. Not every input allows every kind; opening a Reading throws an Error otherwise. An
// endless sequence allows only Kind::buffer. Other inputs:
// - rows of a sequence (which can be read at any place): all kinds;
// - rows of a stream, and rows that a block shuffle has shuffled: only Kind::buffer, so not the default;
// - batches of a sequence: all kinds; batches of a stream, and of rows that a block shuffle has shuffled: none.
struct Shuffle {
  enum class Kind : std::uint8_t {
    by_place,  // by where the files are: `full` for plain local files, `block` for remote and compressed files
    full,      // A random order of all elements, which are read at scattered places.
    block,     // Runs of neighbours are read, in a shuffled order; each row is drawn from the runs in memory.
    buffer,    // As in tf.data: each row is drawn from the next `buffer` rows.
  };
  Kind kind = Kind::by_place;
  std::uint64_t seed = 0;
  // `block` and `window` are for block shuffles, `buffer` is for Kind::buffer.
  std::uint64_t block = 0;    // elements in a run; 0: as many as have block_bytes, or 1,024 if their size is unknown
  std::uint64_t window = 16;  // number of runs in memory at the same time, shared by the lanes; not 0
  std::uint64_t buffer = 10'000;  // number of elements in the buffer; not 0
  bool operator==(const Shuffle&) const = default;

  static constexpr std::uint64_t block_bytes = std::uint64_t{4} << 20;
};

struct SnapshotOptions {
  Compression compression = Compression::none;  // none or gzip; zlib is an Error
  // Rows of a file; 0: about 64 MiB of rows, or 65,536 rows if their size is unknown, as in a stream.
  std::uint64_t shard_rows = 0;
  // Maximum size of all records with their frames, uncompressed. Writing throws an Error beyond it.
  std::uint64_t max_bytes = endless;
};

}  // namespace carrack::data
