// TensorFlow's checkpoint bundle: PREFIX.index lists the tensors, PREFIX.data-NNNNN-of-NNNNN hold their bytes. This
// header names the files, and encodes and decodes the index; shard.h and restore.h write and read the data.
// docs/formats/checkpoint.md, "Bundle", specifies the bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trainer/checkpoint/corrupt.h"
#include "trainer/checkpoint/tensor.h"

namespace carrack::checkpoint {

// Names of files. `shard` counts from 0, and `shards` is the number of all shards.
std::string index_name(std::string_view prefix);
std::string shard_name(std::string_view prefix, std::uint32_t shard, std::uint32_t shards);

// Encodes the index. A tensor with one part has one entry. A tensor with several parts has an entry of its own and one
// for each part.
std::string encode_index(const Bundle& bundle);
// Decodes an index that Carrack or TensorFlow wrote; its tensors are valid (problem_in() in tensor.h). Messages show
// names of tensors with '?' in place of all but printable ASCII.
Decoded<Bundle> decode_index(std::string_view file);

}  // namespace carrack::checkpoint
