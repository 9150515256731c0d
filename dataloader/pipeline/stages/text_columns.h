// Columns that outlive the RowReader which parsed their values.
#pragma once

#include <vector>

#include "dataloader/pipeline/rows/rows.h"
#include "dataloader/records/example.h"
#include "dataloader/sources/row_reader.h"

namespace carrack::data {

// Padded features as lists: only a batch knows the longest of them.
std::vector<Feature> unpadded(std::vector<Feature> features);

// An empty column for each feature.
std::vector<NamedColumn> columns_for(const std::vector<Feature>& features);

// Appends the rows that were read. Strings are copied to memory that is appended to `memory`.
void append(std::vector<NamedColumn>& columns, std::vector<std::shared_ptr<const void>>& memory, const TextRows& read);

}  // namespace carrack::data
