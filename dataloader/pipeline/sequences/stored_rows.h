// Rows in memory as a sequence, and a sequence that keeps in memory what was read of another one.
#pragma once

#include <cstdint>
#include <string>

#include "dataloader/pipeline/sequences/sequence.h"

namespace carrack::data {

// The rows as a sequence. Reading gives each row the place at which it was requested.
Sequence stored(Rows rows);

// Throws Refused, whose text begins with the prefix, if a cache takes more than `max_bytes`.
void check_cache_size(std::uint64_t bytes, std::uint64_t max_bytes, const std::string& error_prefix = "");
// Keeps in memory what is read, in groups of neighbours. Each row is read for epoch 0 and returned in all epochs; only
// its place has the epoch that is read. Two threads may read the same group at the same time. cached() throws an Error
// for an endless input. cached() and read() throw Refused if more than `max_bytes` would be kept.
Sequence cached(Sequence input, std::uint64_t max_bytes, std::string error_prefix = "");

}  // namespace carrack::data
