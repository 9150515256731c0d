// The names of joined columns in a file beside the records, docs/formats/columns.md.
#pragma once

#include <optional>
#include <string>

#include "dataloader/records/column_names.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

std::string column_names_text(const ColumnNames& names);
// nullopt if the text is not in the format.
std::optional<ColumnNames> parse_column_names(std::string text);

// Those of this file of records; empty if there are none. Throws an Error for a file of names that cannot be used.
ColumnNames read_column_names(Storage& storage, const std::string& file);

}  // namespace carrack::data
