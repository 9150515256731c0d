// Formats and reads x.tfrecord.columns, a JSON file next to x.tfrecord with the names of the columns that `carrack data
// convert --join` has joined into features: docs/formats/columns.md. `convert` writes it; `inspect`, `stats` and the
// trainer's messages about bad records use the names.
#pragma once

#include <optional>
#include <string>

#include "dataloader/records/column_names.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

// Returns the content of a file with these names, such as {"x": ["age", "height"]} and a line break.
std::string column_names_text(const ColumnNames& names);
// Parses the content of such a file. Returns nullopt if the text is not in the format.
std::optional<ColumnNames> parse_column_names(std::string text);

// Reads the names for `file`, the URL of a file of records, from the file next to it; empty if there is none. Throws an
// Error if the file of names cannot be read or is not in the format, and Refused if it is larger than 16 MiB.
ColumnNames read_column_names(Storage& storage, const std::string& file);

}  // namespace carrack::data
