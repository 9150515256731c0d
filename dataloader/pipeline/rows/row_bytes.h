// Rows as bytes and back, for the state of a shuffle buffer and for checksums of rows. The lost rows are not written.
// Values are written in the byte order of this machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dataloader/pipeline/rows/rows.h"

namespace carrack::data {

// The rows must have a column, unless there are none: rows_from_bytes() refuses rows without columns.
std::string rows_to_bytes(const Rows& rows);
// Accepts any bytes: throws an Error for those that rows_to_bytes() cannot have returned for such rows.
Rows rows_from_bytes(std::string_view bytes);

// CRC-32C of the bytes of rows_to_bytes().
std::uint32_t checksum_of(const Rows& rows);
// That of a column of these values alone, without rows.
std::uint32_t checksum_of(const ColumnValues& values);

}  // namespace carrack::data
