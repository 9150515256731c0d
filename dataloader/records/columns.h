// For parsers of rows (ExampleParser and the readers of CSV and JSON lines): makes the columns (example.h) that a batch
// is parsed into, and pads them once all rows are written. Pure functions.
#pragma once

#include <cstddef>

#include "dataloader/records/example.h"

namespace carrack::data {

// Returns a new column for a feature. For Shape::item it has `rows` rows of zeros or empty strings, which the caller
// overwrites. For other shapes `rows` is ignored, and the column has no rows: the caller appends them, with their
// splits.
Column column_of(const Feature& requested, std::size_t rows);
// Makes all rows of a Shape::padded column as long as its longest row, and sets Column::longest. The padding is
// requested.default_values if it is set, else 0 or "". Call it once, after the last row has been written. Columns of
// other shapes are not changed.
void pad(const Feature& requested, Column& column);

}  // namespace carrack::data
