// A digest of a checkpoint, to compare two runs: name, type, shape and CRC-32C of every tensor of numbers (parameters
// and optimizer state), however its bytes are spread over shards. It is computed from a bundle's index alone.
// docs/formats/checkpoint.md, "Digest", defines it so that other programs can compute it from the tensors.
#pragma once

#include <cstdint>
#include <string>

#include "trainer/checkpoint/corrupt.h"
#include "trainer/checkpoint/tensor.h"

namespace carrack::checkpoint {

// One line per tensor, in the order of their names; if two digests differ, the lines show which tensors do. Corrupt if
// a tensor has slices that are not runs of rows, which Carrack never writes, as their checksums cannot be combined.
Decoded<std::string> digest_lines(const Bundle& bundle);

std::uint32_t digest_of(const std::string& lines);

}  // namespace carrack::checkpoint
