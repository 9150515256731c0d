// Encodes and decodes the protocol buffer messages in a bundle's index: BundleHeaderProto, and BundleEntryProto with
// its TensorShapeProto and TensorSliceProto. Skips unknown fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/checkpoint/corrupt.h"
#include "trainer/checkpoint/tensor.h"

namespace carrack::checkpoint {

struct BundleEntry {
  DType dtype = DType::float32;
  Shape shape;
  std::uint64_t shard = 0;
  std::uint64_t offset = 0;  // in bytes, within the shard
  std::uint64_t size = 0;    // in bytes
  std::uint32_t crc32c = 0;  // unmasked
  // The extents of the tensor's slices, a whole dimension as `whole_dimension`. Empty if the entry itself has bytes.
  std::vector<std::vector<Extent>> slices;
  bool operator==(const BundleEntry&) const = default;
};

// `shards` is the number of shards.
std::string encode_header(std::uint32_t shards);
// Returns the number of shards. Corrupt::text is the end of a sentence that begins with "the index".
Decoded<std::uint32_t> decode_header(std::string_view message);

std::string encode_entry(const BundleEntry& entry);
// Returns nullopt if the message is malformed. Does not check that the shard exists, or that the slices fit the shape.
std::optional<BundleEntry> decode_entry(std::string_view message);

}  // namespace carrack::checkpoint
