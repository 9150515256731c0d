// Opens arrays in numpy's .npy format, docs/formats/npy.md. The header is a Python literal. It is parsed, never
// evaluated, and nothing is unpickled, so files from untrusted sources are safe.
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

// What the header of a .npy file says.
struct NpyArray {
  ArrayType type;
  std::vector<std::uint64_t> shape;
  bool operator==(const NpyArray&) const = default;
};

// Parses the dictionary in a header, such as "{'descr': '<f4', 'fortran_order': False, 'shape': (60000, 784), }". The
// shape of the result has at least one axis. If the text is malformed, or ArrayRows cannot read such an array, returns
// a half sentence that says why. For open_npy() and tests.
std::variant<NpyArray, std::string> parse_npy_header(std::string_view dictionary);

// Opens a .npy file: reads its header, checks that exactly the bytes of the array follow it, and returns its rows,
// which are read later. Only arrays of the types ArrayType::Number can be read, in C order and with at least one axis.
// Returns Corrupt for any other file. The result owns `file`. Throws Error if the storage fails.
std::variant<ArrayRows, Corrupt> open_npy(std::unique_ptr<const ByteSource> file);

}  // namespace carrack::data
