// The columns of a batch, before their rows come and behind that.
#pragma once

#include <cstddef>

#include "dataloader/records/example.h"

namespace carrack::data {

// With room for this many rows where each is one item, else without rows.
Column column_of(const Feature& asked, std::size_t rows);
// Once the last row is written: makes the rows as long as the longest, if they are to be padded.
void pad(const Feature& asked, Column& column);

}  // namespace carrack::data
