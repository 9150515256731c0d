// record_sequence(): the records of indexed TFRecord files, as rows of one column, "record", that can be read in any
// order. Place n is record n, from 0, counted over all files in their order. All checksums are verified. The rows of
// text files, which have an index of rows but no checksums, are read in the same way.
//
// Records of one call that are contiguous in a file are read together. Small records that are scattered are read in
// blocks, which are cached as long as that saves reads. Other records share a read only if they are near each other.
#pragma once

#include <cstdint>
#include <vector>

#include "dataloader/indexes/indexed_file.h"
#include "dataloader/pipeline/sequences/sequence.h"

namespace carrack::data {

struct RecordSequenceOptions {
  bool is_remote = false;                                // Each read takes a network request.
  std::uint64_t cache_bytes = std::uint64_t{128} << 20;  // maximum size of the cache of blocks; 0: no cache
  bool framed = true;  // true: TFRecord files; false: rows of text, which have no checksums
};

// Returns the size of the blocks in which files are read if none of them is compressed. If any is compressed, all files
// are read in blocks of the size for remote files.
std::uint64_t record_block_bytes(bool is_remote);

// Throws an Error if an index is of another version of its file. Reading returns damaged records in Rows::lost, and
// throws an Error if a file has changed or storage fails. The strings of the rows are views into memory of the cache or
// of the read, which Rows::memory owns.
Sequence record_sequence(std::vector<IndexedFile> files, RecordSequenceOptions options);

}  // namespace carrack::data
