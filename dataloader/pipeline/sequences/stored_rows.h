// Rows in memory as a sequence, and a sequence that keeps in memory what was read of another one.
#pragma once

#include <cstdint>
#include <string>

#include "dataloader/pipeline/sequences/sequence.h"

namespace carrack::data {

Sequence stored(Rows rows);

// Throws a Refused, which begins with the prefix, if a cache takes more than `max_bytes`.
void check_cache_size(std::uint64_t bytes, std::uint64_t max_bytes, const std::string& error_prefix = "");
// Keeps what is read, in groups of neighbours; all epochs get the rows of the first. Threads may read a group twice.
// cached() and read() throw Refused for more than `max_bytes`; cached() throws Error for an endless input.
Sequence cached(Sequence input, std::uint64_t max_bytes, std::string error_prefix = "");

}  // namespace carrack::data
