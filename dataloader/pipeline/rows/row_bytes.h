// Converts rows to bytes and back, for the state of a shuffle buffer and for checksums of rows. `lost` and `is_cut` are
// not written. Numbers in columns have the byte order of this machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dataloader/pipeline/rows/rows.h"

namespace carrack::data {

// Rows without columns must have a `count` of 0: rows_from_bytes() refuses others.
std::string rows_to_bytes(const Rows& rows);
// Accepts any bytes, and throws an Error if rows_to_bytes() cannot have returned them. The strings of the result point
// into a copy of `bytes`, which the result keeps.
Rows rows_from_bytes(std::string_view bytes);

// The CRC-32C of the bytes of rows_to_bytes().
std::uint32_t checksum_of(const Rows& rows);
// The same for a column of these values without a name, in Rows whose `count` is 0.
std::uint32_t checksum_of(const ColumnValues& values);

}  // namespace carrack::data
