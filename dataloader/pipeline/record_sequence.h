// Records of indexed files as rows of one column, "record": files in their order, each from its first record on. Only
// what is asked for is read, neighbours together, and all checksums are checked.
#pragma once

#include <vector>

#include "dataloader/pipeline/indexed_file.h"
#include "dataloader/pipeline/sequence.h"

namespace carrack::data {

// Throws an Error where an index is that of another version of its file.
SequencePtr records_of(std::vector<IndexedFile> files);

}  // namespace carrack::data
