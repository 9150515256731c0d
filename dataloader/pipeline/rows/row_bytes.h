// Converts rows to bytes and back, for the state of a shuffle buffer and for checksums of rows. `lost`, `is_cut`,
// `is_batch` and `memory` are not part of the bytes. Numbers in columns have the byte order of this machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dataloader/pipeline/rows/rows.h"

namespace carrack::data {

// Rows without columns must have a `count` of 0, which is not checked here: rows_from_bytes() refuses others.
std::string rows_to_bytes(const Rows& rows);
// Accepts any bytes, and throws an Error if rows_to_bytes() cannot have returned them. The result does not refer to
// `bytes`: its strings point into a copy, which it owns.
Rows rows_from_bytes(std::string_view bytes);

// Returns the CRC-32C of what rows_to_bytes() returns.
std::uint32_t checksum_of(const Rows& rows);
// Returns the checksum of Rows with a `count` of 0 and one column, which has no name and these values. For default and
// padding values in the identity of a pipeline (canonical.h).
std::uint32_t checksum_of(const ColumnValues& values);

}  // namespace carrack::data
