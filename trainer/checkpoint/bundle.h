// TensorFlow's checkpoint bundle: PREFIX.index lists the tensors, PREFIX.data-NNNNN-of-NNNNN hold their bytes. This
// file names the files and codes the index; shard.h and restore.h write and read the data. docs/formats/checkpoint.md,
// "Bundle", describes the bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trainer/checkpoint/corrupt.h"
#include "trainer/checkpoint/tensor.h"

namespace carrack::checkpoint {

std::string index_name(std::string_view prefix);
std::string shard_name(std::string_view prefix, std::uint32_t shard, std::uint32_t shards);

// A tensor in one part has one entry; a tensor in slices also has an entry for each slice.
std::string encode_index(const Bundle& bundle);
// Accepts bundles of Carrack and of TensorFlow. Messages show the names of tensors with '?' for all but printable
// ASCII.
Decoded<Bundle> decode_index(std::string_view file);

}  // namespace carrack::checkpoint
