// Decodes the header of a safetensors file, in which other libraries store weights. docs/formats/safetensors.md
// describes the bytes. Pure functions, safe for any bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "trainer/checkpoint/corrupt.h"
#include "trainer/checkpoint/tensor.h"

namespace carrack::checkpoint {

// A tensor of a file: its elements in row-major order, little-endian, are the bytes [offset, offset + size) of the
// file.
struct SafeTensor {
  std::string type;            // as the file spells it, such as "F32"
  std::optional<DType> dtype;  // nullopt for a type that has no number here; the size is then not checked
  Shape shape;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  bool operator==(const SafeTensor&) const = default;
};

// By name. Each byte behind the header belongs to exactly one tensor.
using SafeTensors = std::map<std::string, SafeTensor>;

constexpr std::size_t safetensors_size_bytes = 8;
// Of the header. A real one has about 100 bytes for each tensor.
constexpr std::uint64_t safetensors_header_max = std::uint64_t{16} << 20;

// The size of the header in a file of `file_size` bytes, whose first `safetensors_size_bytes` are `first`, or all of it
// if it is shorter. The header is behind them.
Decoded<std::uint64_t> safetensors_header_size(std::string_view first, std::uint64_t file_size);

// `header` is all of it. Messages show names and types of tensors as data::excerpt() does.
Decoded<SafeTensors> decode_safetensors(std::string header, std::uint64_t file_size);

}  // namespace carrack::checkpoint
