// Decodes the header of a safetensors file, in which Hugging Face and other libraries store weights, for training that
// starts from such weights (spec.training.initialWeights). It says where each tensor is; the caller reads the bytes.
// The caller reads 8 bytes, calls safetensors_header_size(), reads the header and calls decode_safetensors(). Pure
// functions, safe for any bytes. docs/formats/safetensors.md describes the format.
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

// A tensor of a file. Its elements, in row-major order and little-endian, are the bytes [offset, offset + size) of the
// file.
struct SafeTensor {
  std::string type;            // as the file spells it, such as "F32"
  std::optional<DType> dtype;  // nullopt if DType does not have the type; `size` is then not checked against the shape
  Shape shape;
  std::uint64_t offset = 0;  // in bytes from the beginning of the file
  std::uint64_t size = 0;    // in bytes
  bool operator==(const SafeTensor&) const = default;
};

// Tensors by name. Each byte after the header belongs to exactly one tensor.
using SafeTensors = std::map<std::string, SafeTensor>;

// The number of bytes at the beginning of a file that contain the size of the header, a little-endian number.
constexpr std::size_t safetensors_size_bytes = 8;
// The size of the largest header that is accepted, in bytes. Usual headers have about 100 bytes for each tensor.
constexpr std::uint64_t safetensors_header_max = std::uint64_t{16} << 20;

// Returns the size in bytes of the header, which begins after the first safetensors_size_bytes. `first` are these
// bytes, or the whole file if it is shorter. `file_size` is the size of the whole file in bytes. Returns Corrupt if the
// file is too short or the header too large.
Decoded<std::uint64_t> safetensors_header_size(std::string_view first, std::uint64_t file_size);

// Returns all tensors of the file. `header` must be the whole header, and `file_size`, the size of the whole file, at
// least safetensors_size_bytes + header.size(). Leaves out "__metadata__". Returns Corrupt if the header is malformed,
// or if its tensors overlap, leave gaps or do not fit the file. The message shows names and types of tensors as
// data::excerpt() does, and does not name the file.
Decoded<SafeTensors> decode_safetensors(std::string header, std::uint64_t file_size);

}  // namespace carrack::checkpoint
