// Reads arrays in numpy's .npy format, docs/formats/npy.md. The header is a Python literal. It is parsed, never
// evaluated, and nothing is unpickled.
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

// Parses the dictionary in a header. The shape of the result has at least one axis. If the array cannot be read,
// returns a half sentence that says why.
std::variant<NpyArray, std::string> npy_array(std::string_view dictionary);

// Reads the header and checks that the file has exactly the bytes of the array after it. Only arrays of numbers and
// booleans can be read, in C order. Returns Corrupt for any other file. Throws Error if the storage fails.
std::variant<ArrayRows, Corrupt> open_npy(std::unique_ptr<const ByteSource> file);

}  // namespace carrack::data
