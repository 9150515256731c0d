// Reads the index of a TFRecord file (where each record begins) from storage, and checks that it can be used: it must
// be intact, and belong to the current version of its file.
#pragma once

#include <string>
#include <variant>

#include "dataloader/records/index.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

// A result: the index was replaced or removed after it was listed. The caller may look for it again.
struct Replaced {};

// Reads `index`, and checks that it belongs to the version of the data file `file`. If it cannot be used, or the
// storage fails, returns a message that says why, such as "gs://b/x.index: it does not match its checksum". Does not
// throw Error.
std::variant<Index, Replaced, std::string> read_index(Storage& storage, const Listed& index, const Listed& file);
// Does the same, but throws an Error if the storage fails, because it is then not known whether the index can be used.
std::variant<Index, Replaced, std::string> read_index_or_throw(Storage& storage, const Listed& index,
                                                               const Listed& file);

}  // namespace carrack::data
