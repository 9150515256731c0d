// Encodes and decodes the text of BEST, the file in a checkpoint folder that names the checkpoint with the lowest loss
// of those that the job has evaluated. CheckpointFolder reads and writes the file. Pure functions;
// docs/formats/checkpoint.md, "BEST", specifies the format.
#pragma once

#include <string>
#include <string_view>

#include "trainer/checkpoint/corrupt.h"
#include "trainer/checkpoint/head.h"

namespace carrack::checkpoint {

inline constexpr const char* best_name = "BEST";

struct Best {
  Committed checkpoint;  // the manifest of the checkpoint
  double loss = 0;       // mean over the evaluation data; finite
  bool operator==(const Best&) const = default;
};

// Throws train::Error with Blame::bug for a Best that decode_best() would refuse.
std::string encode_best(const Best& best);
// Returns Corrupt for a text that encode_best() never returns. Does not throw.
Decoded<Best> decode_best(std::string_view text);

}  // namespace carrack::checkpoint
