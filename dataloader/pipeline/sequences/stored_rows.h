// Rows in memory as a sequence, and a sequence that stores in memory what was read of another sequence.
#pragma once

#include <cstdint>
#include <string>

#include "dataloader/pipeline/sequences/sequence.h"

namespace carrack::data {

// Returns a sequence of the rows, without their lost rows. Each row that is read has the place at which it was
// requested.
Sequence stored(Rows rows);

// Throws Refused, whose text begins with the prefix, if `bytes`, the size of a cache, is more than `max_bytes`.
void check_cache_size(std::uint64_t bytes, std::uint64_t max_bytes, const std::string& error_prefix = "");
// Stores what is read in memory, in groups of neighbouring elements. Each row is read for epoch 0 and returned in all
// epochs; only its place has the requested epoch. Two threads may read the same group at the same time. cached() throws
// an Error for an endless input. cached() and read() throw Refused if more than `max_bytes` would be stored; after
// that, read() still returns what is stored.
Sequence cached(Sequence input, std::uint64_t max_bytes, std::string error_prefix = "");

}  // namespace carrack::data
