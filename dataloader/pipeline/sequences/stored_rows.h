// Rows in memory as a sequence, and a sequence that keeps in memory what was read of another one.
#pragma once

#include <cstdint>
#include <string>

#include "dataloader/pipeline/sequences/sequence.h"

namespace carrack::data {

Sequence stored(Rows rows);

// Throws a Refused, which begins with the prefix, if a cache takes more than `max_bytes`.
void check_cache_size(std::uint64_t bytes, std::uint64_t max_bytes, const std::string& error_prefix = "");
// Elements are read once, for the first epoch, and are the same in all epochs. read() throws a Refused once they take
// more than `max_bytes`. Throws an Error for an endless input.
Sequence cached(Sequence input, std::uint64_t max_bytes, std::string error_prefix = "");

}  // namespace carrack::data
