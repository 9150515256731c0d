// Encodes and decodes the sorted string table of a bundle's index: blocks of prefix-compressed keys and values, each
// with a checksum, and a footer. docs/formats/checkpoint.md, "Table", specifies the bytes. Decoding checks every length
// and checksum, and its time and memory are bounded by the size of the file.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "trainer/checkpoint/corrupt.h"

namespace carrack::checkpoint {

// Values by key.
using Table = std::map<std::string, std::string>;

// Returns the content of a file with this table.
std::string encode_table(const Table& table);
// `file` is the content of a whole file.
Decoded<Table> decode_table(std::string_view file);

}  // namespace carrack::checkpoint
