// Reads an index from storage. It is usable only if it is intact and belongs to the present version of its file; else a
// sentence says why it is not.
#pragma once

#include <string>
#include <variant>

#include "dataloader/records/index.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

// The index was replaced while it was read; try again.
struct Replaced {};

// Reads `index` and checks that it is one of this version of `file`. If it cannot be used, returns a sentence that says
// why and begins with its URL: "gs://b/x.index: it does not match its checksum". A failing storage gives one too.
std::variant<Index, Replaced, std::string> stored_index(Storage& storage, const Listed& index, const Listed& file);
// The same, but throws an Error if the storage fails: then it is not known whether the index can be used.
std::variant<Index, Replaced, std::string> read_index(Storage& storage, const Listed& index, const Listed& file);

}  // namespace carrack::data
