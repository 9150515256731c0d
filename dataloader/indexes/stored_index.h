// An index out of storage. It is used only where it is whole and that of this very version of its file: whatever else
// lies there is passed over, and the words say why.
#pragma once

#include <string>
#include <variant>

#include "dataloader/records/index.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

// Somebody wrote another one while it was read, which says nothing of either.
struct Replaced {};

// Or why it is passed over: "gs://b/x.index: it does not match its checksum".
std::variant<Index, Replaced, std::string> stored_index(Storage& storage, const Listed& index, const Listed& file);
// The same, but throws an Error where it cannot be read.
std::variant<Index, Replaced, std::string> read_index(Storage& storage, const Listed& index, const Listed& file);

}  // namespace carrack::data
