// Reads the file of the names of joined columns, which is next to a file of records, and makes its content:
// docs/formats/columns.md.
#pragma once

#include <optional>
#include <string>

#include "dataloader/records/column_names.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

// Returns the content of a file with these names.
std::string column_names_text(const ColumnNames& names);
// Returns nullopt if the text is not in the format.
std::optional<ColumnNames> parse_column_names(std::string text);

// Returns the names for `file`, the URL of a file of records; empty if it has no file of names. Throws an Error if the
// file of names cannot be read or is not in the format, and Refused if it is larger than 16 MiB.
ColumnNames read_column_names(Storage& storage, const std::string& file);

}  // namespace carrack::data
