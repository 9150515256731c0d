// Encodes and decodes the index of TensorFlow's checkpoint format (tensor bundle, version 2). PREFIX.index says where
// each tensor is, and the shards, PREFIX.data-00000-of-00002 and so on, contain the bytes; shard.h and restore.h write
// and read them. A Bundle (tensor.h) is the decoded index. docs/formats/checkpoint.md, "Bundle", specifies the bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trainer/checkpoint/corrupt.h"
#include "trainer/checkpoint/tensor.h"

namespace carrack::checkpoint {

// The names of the files: index_name("a") -> "a.index", shard_name("a", 0, 2) -> "a.data-00000-of-00002". `shard`
// counts from 0, and `shards` is the number of all shards.
std::string index_name(std::string_view prefix);
std::string shard_name(std::string_view prefix, std::uint32_t shard, std::uint32_t shards);

// Returns the content of the index file.
std::string encode_index(const Bundle& bundle);
// Decodes the content of an index file that Carrack or TensorFlow wrote, in any number of parts for each tensor, or at
// most 1024 if they are not runs of rows. The tensors of the result are valid (problem_in() in tensor.h). Otherwise
// returns Corrupt; its message shows names of tensors with '?' in place of all but printable ASCII.
Decoded<Bundle> decode_index(std::string_view file);

}  // namespace carrack::checkpoint
