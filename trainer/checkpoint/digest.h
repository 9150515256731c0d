// Computes the digest of a checkpoint: a number that is equal for two checkpoints if all their numbers are equal, bit
// for bit. Tests and users compare jobs by it. It covers name, type, shape and CRC-32C of every tensor of numbers
// (parameters and optimizer state), no matter how the bytes are divided into shards. It is computed from the index
// alone, without reading tensors. docs/formats/checkpoint.md, "Digest", specifies it.
#pragma once

#include <cstdint>
#include <string>

#include "trainer/checkpoint/corrupt.h"
#include "trainer/checkpoint/tensor.h"

namespace carrack::checkpoint {

// Returns one line for each tensor of numbers, in the order of their names, to compare two checkpoints tensor by
// tensor: "w uint8 [3,3] 7144c5a8" and a line break. Leaves out tensors of strings. Returns Corrupt if a tensor has
// slices that are not runs of rows, because their checksums cannot be combined. Carrack never writes such slices.
Decoded<std::string> digest_lines(const Bundle& bundle);

// Returns the digest: the CRC-32C of the result of digest_lines().
std::uint32_t digest_of(const std::string& lines);

}  // namespace carrack::checkpoint
