// TensorFlow's checkpoint bundle: PREFIX.index names every tensor, PREFIX.data-NNNNN-of-NNNNN hold their bytes.
// docs/formats/checkpoint.md, "Bundle", has the bytes. Nothing here does I/O: the index is a string, and shard.h and
// restore.h write and read the data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trainer/checkpoint/corrupt.h"
#include "trainer/checkpoint/tensor.h"

namespace carrack::checkpoint {

std::string index_name(std::string_view prefix);
std::string shard_name(std::string_view prefix, std::uint32_t shard, std::uint32_t shards);

// A tensor in one part that is the whole of it is an ordinary entry; any other has an entry for each slice too.
std::string encode_index(const Bundle& bundle);
// Ours and TensorFlow's. Names in the texts are as the index has them, with what cannot be printed as '?'.
Decoded<Bundle> decode_index(std::string_view file);

}  // namespace carrack::checkpoint
