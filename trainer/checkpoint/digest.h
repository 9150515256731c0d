// A digest of a checkpoint, for comparing two runs. It covers name, type, shape and CRC-32C of every tensor of numbers
// (parameters and optimizer state), no matter how its bytes are divided into shards, and is computed from a bundle's
// index alone. docs/formats/checkpoint.md, "Digest", specifies it, so that other programs can compute it from the
// tensors.
#pragma once

#include <cstdint>
#include <string>

#include "trainer/checkpoint/corrupt.h"
#include "trainer/checkpoint/tensor.h"

namespace carrack::checkpoint {

// Returns one line for each tensor of numbers, in the order of their names, so that two digests can be compared tensor
// by tensor. Returns Corrupt if a tensor has slices that are not runs of rows, because their checksums cannot be
// combined. Carrack never writes such slices.
Decoded<std::string> digest_lines(const Bundle& bundle);

// The digest: the CRC-32C of all lines that digest_lines() returned.
std::uint32_t digest_of(const std::string& lines);

}  // namespace carrack::checkpoint
