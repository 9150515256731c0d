// Arrays in numpy's .npy format, docs/formats/npy.md. The header is a Python literal; it is parsed with a grammar,
// never evaluated, and nothing is unpickled.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/corrupt.h"
#include "dataloader/sources/array_rows.h"

namespace carrack::data {

struct NpyArray {
  ArrayType type;
  std::vector<std::uint64_t> shape;
  bool operator==(const NpyArray&) const = default;
};

// Parses the dictionary in a header; returns a sentence that says why it cannot be read.
std::variant<NpyArray, std::string> npy_array(std::string_view dictionary);

// Reads the header and checks that the file has exactly the bytes of the array.
std::variant<ArrayRows, Corrupt> open_npy(std::unique_ptr<const ByteSource> file);

}  // namespace carrack::data
