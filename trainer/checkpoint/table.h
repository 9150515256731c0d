// Encodes and decodes the sorted string table of a bundle's index: blocks of prefix-compressed keys and values, each
// with a checksum, and a footer. docs/formats/checkpoint.md, "Table", specifies the bytes. Decoding checks every length
// and checksum, and its time and memory are bounded by the size of the file.
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
