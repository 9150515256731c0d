// Sequences (rows that can be read at any place, sequence.h) in memory: stored() of rows that exist, and cached(),
// which stores what is read from another sequence, for the cache stage.
#pragma once

#include <cstdint>
#include <string>

#include "dataloader/pipeline/sequences/sequence.h"

namespace carrack::data {

// Returns a sequence of these rows, in their order and without their lost rows. Rows::places of a read are the places
// that were requested.
Sequence stored(Rows rows);

// Throws Refused, whose text begins with the prefix, if `bytes`, the size of a cache, is more than `max_bytes`.
void check_cache_size(std::uint64_t bytes, std::uint64_t max_bytes, const std::string& error_prefix = "");
// Returns a sequence that reads the elements of `input` once and stores them in memory, in groups of neighbours, when
// they are first requested. It reads `input` for epoch 0, and returns the same rows in all epochs; only Rows::places
// have the requested epoch. Two threads may read the same group at the same time. cached() throws an Error for an
// endless input. cached() and read() throw Refused if more than `max_bytes` would be stored; the text of the one from
// read() begins with `error_prefix`. After that, read() still returns what is stored.
Sequence cached(Sequence input, std::uint64_t max_bytes, std::string error_prefix = "");

}  // namespace carrack::data
