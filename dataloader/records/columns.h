// Empty columns, and padding once they are filled.
#pragma once

#include <cstddef>

#include "dataloader/records/example.h"

namespace carrack::data {

// A column with `rows` rows of zeros or empty strings for Shape::item; without rows for other shapes, to which rows are
// appended.
Column column_of(const Feature& requested, std::size_t rows);
// Makes all rows of a Shape::padded column as long as the longest, after the last row has been written. Other shapes
// stay as they are.
void pad(const Feature& requested, Column& column);

}  // namespace carrack::data
