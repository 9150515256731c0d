#include "trainer/checkpoint/entry.h"

#include "dataloader/crc32c.h"
#include "trainer/checkpoint/slice_key.h"
#include "trainer/checkpoint/wire.h"

namespace carrack::checkpoint {
namespace {

constexpr std::uint64_t bundle_version = 1;
constexpr std::size_t dimensions_max = 254;  // TensorFlow's own limit.

// TensorShapeProto{repeated Dim{int64 size = 1; string name = 2} dim = 2; bool unknown_rank = 3}
std::string encode_shape(const Shape& shape) {
  std::string message;
  for (const std::int64_t size : shape) {
    std::string dimension;
    put_varint_field(dimension, 1, static_cast<std::uint64_t>(size));
    put_bytes_field(message, 2, dimension);
  }
  return message;
}

std::optional<Shape> decode_shape(std::string_view message) {
  Shape shape;
  Cursor fields(message);
  while (const auto field = next_field(fields)) {
    if (field->is(3, WireType::varint) && field->value != 0) return std::nullopt;
    if (!field->is(2, WireType::bytes)) continue;
    std::int64_t size = 0;
    Cursor dimension(field->bytes);
    while (const auto inner = next_field(dimension)) {
      if (inner->is(1, WireType::varint)) size = static_cast<std::int64_t>(inner->value);
    }
    if (dimension.failed() || shape.size() == dimensions_max) return std::nullopt;
    shape.push_back(size);
  }
  if (fields.failed()) return std::nullopt;
  return shape;
}

// TensorSliceProto{repeated Extent{int64 start = 1; oneof {int64 length = 2}} extent = 1}; no length: the whole
// dimension.
std::string encode_slice(const std::vector<Extent>& extents) {
  std::string message;
  for (const Extent extent : extents) {
    std::string inner;
    if (extent != whole_dimension) {
      put_varint_field(inner, 1, static_cast<std::uint64_t>(extent.start));
      put_varint_field(inner, 2, static_cast<std::uint64_t>(extent.length));
    }
    put_bytes_field(message, 1, inner);
  }
  return message;
}

std::optional<std::vector<Extent>> decode_slice(std::string_view message) {
  std::vector<Extent> extents;
  Cursor fields(message);
  while (const auto field = next_field(fields)) {
    if (!field->is(1, WireType::bytes)) continue;
    Extent extent = whole_dimension;
    Cursor inner(field->bytes);
    while (const auto number = next_field(inner)) {
      if (number->is(1, WireType::varint)) extent.start = static_cast<std::int64_t>(number->value);
      if (number->is(2, WireType::varint)) extent.length = static_cast<std::int64_t>(number->value);
    }
    const bool sound = extent == whole_dimension || (extent.start >= 0 && extent.length >= 0);
    if (!sound || inner.failed() || extents.size() == dimensions_max) return std::nullopt;
    extents.push_back(extent);
  }
  if (fields.failed()) return std::nullopt;
  return extents;
}

// VersionDef{int32 producer = 1; int32 min_consumer = 2; repeated int32 bad_consumers = 3}
std::string encode_version() {
  std::string message;
  put_varint_field(message, 1, bundle_version);
  return message;
}

bool readable_version(std::string_view message) {
  Cursor fields(message);
  while (const auto field = next_field(fields)) {
    if (field->is(2, WireType::varint) && field->value > bundle_version) return false;
  }
  return !fields.failed();
}

}  // namespace

// BundleHeaderProto{int32 num_shards = 1; enum{LITTLE, BIG} endianness = 2; VersionDef version = 3}
std::string encode_header(std::uint32_t shards) {
  std::string message;
  put_varint_field(message, 1, shards);
  put_bytes_field(message, 3, encode_version());
  return message;
}

Decoded<std::uint32_t> decode_header(std::string_view message) {
  std::uint64_t shards = 0;
  Cursor fields(message);
  while (const auto field = next_field(fields)) {
    if (field->is(1, WireType::varint)) shards = field->value;
    if (field->is(2, WireType::varint) && field->value != 0) return Corrupt{"is of a big-endian machine"};
    if (field->is(3, WireType::bytes) && !readable_version(field->bytes)) {
      return Corrupt{"is of a newer version of the bundle than 1"};
    }
  }
  if (fields.failed()) return Corrupt{"has a header that cannot be read"};
  if (shards == 0 || shards > shards_max) return Corrupt{"names " + std::to_string(shards) + " shards"};
  return static_cast<std::uint32_t>(shards);
}

// BundleEntryProto{DataType dtype = 1; TensorShapeProto shape = 2; int32 shard_id = 3; int64 offset = 4;
// int64 size = 5; fixed32 crc32c = 6; repeated TensorSliceProto slices = 7}
std::string encode_entry(const BundleEntry& entry) {
  std::string message;
  put_varint_field(message, 1, static_cast<std::uint64_t>(entry.dtype));
  put_bytes_field(message, 2, encode_shape(entry.shape));
  put_varint_field(message, 3, entry.shard);
  put_varint_field(message, 4, entry.offset);
  put_varint_field(message, 5, entry.size);
  if (entry.slices.empty()) put_fixed32_field(message, 6, data::masked(entry.crc32c));
  for (const std::vector<Extent>& slice : entry.slices) put_bytes_field(message, 7, encode_slice(slice));
  return message;
}

std::optional<BundleEntry> decode_entry(std::string_view message) {
  BundleEntry entry;
  entry.dtype = DType{};
  std::uint32_t stored_crc = 0;
  Cursor fields(message);
  while (const auto field = next_field(fields)) {
    if (field->is(1, WireType::varint)) entry.dtype = static_cast<DType>(field->value);
    if (field->is(3, WireType::varint)) entry.shard = field->value;
    if (field->is(4, WireType::varint)) entry.offset = field->value;
    if (field->is(5, WireType::varint)) entry.size = field->value;
    if (field->is(6, WireType::fixed32)) stored_crc = static_cast<std::uint32_t>(field->value);
    if (field->is(2, WireType::bytes)) {
      std::optional<Shape> shape = decode_shape(field->bytes);
      if (!shape) return std::nullopt;
      entry.shape = std::move(*shape);
    }
    if (field->is(7, WireType::bytes)) {
      std::optional<std::vector<Extent>> slice = decode_slice(field->bytes);
      if (!slice) return std::nullopt;
      entry.slices.push_back(std::move(*slice));
    }
  }
  if (fields.failed()) return std::nullopt;
  if (entry.slices.empty()) entry.crc32c = data::unmasked(stored_crc);
  return entry;
}

}  // namespace carrack::checkpoint
