// Reads an index from storage. An index can be used only if it is intact and belongs to the version of its file that is
// passed.
#pragma once

#include <string>
#include <variant>

#include "dataloader/records/index.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

// The index was replaced or removed after it was listed. The caller may look for it again.
struct Replaced {};

// Reads `index` and checks that it belongs to this version of `file`. If it cannot be used, or the storage fails,
// returns a sentence that says why, such as "gs://b/x.index: it does not match its checksum". Does not throw Error.
std::variant<Index, Replaced, std::string> stored_index(Storage& storage, const Listed& index, const Listed& file);
// Does the same, but throws an Error if the storage fails, because it is then not known whether the index can be used.
std::variant<Index, Replaced, std::string> read_index(Storage& storage, const Listed& index, const Listed& file);

}  // namespace carrack::data
