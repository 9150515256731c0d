// Encodes and decodes a sorted string table (SSTable) of LevelDB and TensorFlow, the container format of a checkpoint's
// index file: blocks of prefix-compressed keys and values, each with a checksum, and a footer. bundle.h encodes the
// keys and values. docs/formats/checkpoint.md, "Table", specifies the bytes. Pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "trainer/checkpoint/corrupt.h"

namespace carrack::checkpoint {

// Values by key. Both may be any bytes.
using Table = std::map<std::string, std::string>;

// Returns the content of a file with this table.
std::string encode_table(const Table& table);
// `file` is the content of a whole file. Returns a copy of its keys and values, or Corrupt: every length and checksum
// of the blocks with keys is checked. Time and memory are bounded by a multiple of the file's size.
Decoded<Table> decode_table(std::string_view file);

}  // namespace carrack::checkpoint
