// Reads an index from storage. An index is usable only if it is intact and belongs to the given version of its file.
#pragma once

#include <string>
#include <variant>

#include "dataloader/records/index.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

// The index was replaced or removed after it was listed: look for it again.
struct Replaced {};

// Reads `index` and checks that it belongs to this version of `file`. If it cannot be used, returns a sentence that
// says why, such as "gs://b/x.index: it does not match its checksum"; also if the storage fails.
std::variant<Index, Replaced, std::string> stored_index(Storage& storage, const Listed& index, const Listed& file);
// Does the same, but throws an Error if the storage fails: then it is not known whether the index can be used.
std::variant<Index, Replaced, std::string> read_index(Storage& storage, const Listed& index, const Listed& file);

}  // namespace carrack::data
