// Rows as bytes and back, for the state of a shuffle buffer and for checksums of rows.
#pragma once

#include <string>
#include <string_view>

#include "dataloader/pipeline/rows/rows.h"

namespace carrack::data {

std::string rows_to_bytes(const Rows& rows);
// Accepts any bytes: throws an Error for those that rows_to_bytes() cannot have returned.
Rows rows_from_bytes(std::string_view bytes);

}  // namespace carrack::data
