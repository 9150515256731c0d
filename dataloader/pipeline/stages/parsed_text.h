// What a reader of text gives, which it uses again at the next call, moved to where it stays.
#pragma once

#include <vector>

#include "dataloader/pipeline/rows/rows.h"
#include "dataloader/records/example.h"
#include "dataloader/sources/row_reader.h"

namespace carrack::data {

// Padded features come as lists, as how long the longest is only a batch knows.
std::vector<Feature> unpadded(std::vector<Feature> features);

// A column without rows for each feature.
std::vector<NamedColumn> columns_for(const std::vector<Feature>& features);

// Puts what was read behind what is there. Strings are copied to memory that is put behind `memory`.
void append(std::vector<NamedColumn>& columns, std::vector<std::shared_ptr<const void>>& memory, const TextRows& read);

}  // namespace carrack::data
