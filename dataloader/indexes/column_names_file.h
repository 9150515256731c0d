// Reads and writes the names of joined columns, which are in a file next to the records: docs/formats/columns.md.
#pragma once

#include <optional>
#include <string>

#include "dataloader/records/column_names.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

// Returns the content of such a file.
std::string column_names_text(const ColumnNames& names);
// Returns nullopt if the text is not in the format.
std::optional<ColumnNames> parse_column_names(std::string text);

// Returns the names for `file`, a file of records; empty if it has no file of names. Throws an Error if that file
// cannot be read, or is not in the format, and Refused if it is larger than 16 MiB.
ColumnNames read_column_names(Storage& storage, const std::string& file);

}  // namespace carrack::data
