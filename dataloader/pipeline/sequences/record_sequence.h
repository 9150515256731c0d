// Records of indexed files as rows of one column, "record": files in their order, each from its first record on. As
// long as what is asked for lies near what was, files are read in blocks that are kept; else each record by itself. All
// checksums are checked. Rows of text are had the same way.
#pragma once

#include <cstdint>
#include <vector>

#include "dataloader/indexes/indexed_file.h"
#include "dataloader/pipeline/sequences/sequence.h"

namespace carrack::data {

struct RecordReading {
  bool is_far = false;  // Each read takes a request.
  std::uint64_t cache_bytes = std::uint64_t{128} << 20;
  bool framed = true;  // As in TFRecord files; else each extent is a row of text, and nothing is checked.
};

// Bytes that are read at once.
std::uint64_t record_block(bool is_far);

// Throws an Error where an index is that of another version of its file.
SequencePtr records_of(std::vector<IndexedFile> files, RecordReading how);

}  // namespace carrack::data
