// The sorted string table that a bundle's index is: keys and values in blocks with prefix-compressed keys, each block
// with a checksum, and a footer. docs/formats/checkpoint.md, "Table", has the bytes.
// Decoding checks every length and checksum, and its time and memory are bounded by the size of what it is given.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "trainer/checkpoint/corrupt.h"

namespace carrack::checkpoint {

using Table = std::map<std::string, std::string>;

std::string encode_table(const Table& table);
Decoded<Table> decode_table(std::string_view file);

}  // namespace carrack::checkpoint
