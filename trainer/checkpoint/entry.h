// Encodes and decodes the protocol buffer messages that are the values in the index of a TensorFlow checkpoint:
// BundleHeaderProto, and BundleEntryProto with its TensorShapeProto and TensorSliceProto. Only bundle.cc uses it.
// Decoding skips unknown fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/checkpoint/corrupt.h"
#include "trainer/checkpoint/tensor.h"

namespace carrack::checkpoint {

// Says where a tensor, or one slice of it, is. If `slices` is not empty, the tensor is divided, each slice has an entry
// of its own (slice_key.h), and shard, offset, size and crc32c have no meaning here.
struct BundleEntry {
  DType dtype = DType::float32;
  Shape shape;
  std::uint64_t shard = 0;
  std::uint64_t offset = 0;  // in bytes, within the shard
  std::uint64_t size = 0;    // in bytes
  std::uint32_t crc32c = 0;  // of these bytes; the message stores it masked, as TensorFlow does
  // The extents of each slice, a whole dimension as `whole_dimension`.
  std::vector<std::vector<Extent>> slices;
  bool operator==(const BundleEntry&) const = default;
};

// The header is the first value of the index. It has the number of shards, 1 to shards_max.
std::string encode_header(std::uint32_t shards);
// Returns the number of shards. Corrupt::text is the end of a sentence that begins with "the index", such as "is of a
// big-endian machine".
Decoded<std::uint32_t> decode_header(std::string_view message);

std::string encode_entry(const BundleEntry& entry);
// Returns nullopt if the message is malformed. Does not check that the shard exists, or that the slices fit the shape.
std::optional<BundleEntry> decode_entry(std::string_view message);

}  // namespace carrack::checkpoint
