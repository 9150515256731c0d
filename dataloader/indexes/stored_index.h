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

// The sentence begins with the URL: "gs://b/x.index: it does not match its checksum". A failure of the storage is a
// sentence, too.
std::variant<Index, Replaced, std::string> stored_index(Storage& storage, const Listed& index, const Listed& file);
// The same, but throws an Error if the storage fails.
std::variant<Index, Replaced, std::string> read_index(Storage& storage, const Listed& index, const Listed& file);

}  // namespace carrack::data
