// Rows in memory as a sequence, and sequences that keep what was read of them.
#pragma once

#include <cstdint>
#include <string>

#include "dataloader/pipeline/sequences/sequence.h"

namespace carrack::data {

SequencePtr stored(Rows rows);

// What was read once is kept, whichever epoch it was read for: all epochs are then the first one. Throws an Error on
// the way, which begins with the place, where that takes more than so many bytes.
void require_room(std::uint64_t bytes, std::uint64_t most_bytes, const std::string& place = "");
SequencePtr cached(SequencePtr of, std::uint64_t most_bytes, std::string place = "");

}  // namespace carrack::data
