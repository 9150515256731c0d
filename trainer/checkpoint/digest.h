// What two runs are compared by: every tensor of numbers (parameters and optimizer state) by name, type, shape and the
// CRC-32C of its bytes, however the bytes are spread over shards. It follows from a bundle's index alone.
// docs/formats/checkpoint.md, "Digest", defines it so that others can compute it from the tensors.
#pragma once

#include <cstdint>
#include <string>

#include "trainer/checkpoint/corrupt.h"
#include "trainer/checkpoint/tensor.h"

namespace carrack::checkpoint {

// One line a tensor, in the order of their names: where two digests differ, the lines say which tensors do.
// Corrupt where slices are not runs of rows: their checksums cannot be joined. Ours are.
Decoded<std::string> digest_lines(const Bundle& bundle);

std::uint32_t digest_of(const std::string& lines);

}  // namespace carrack::checkpoint
