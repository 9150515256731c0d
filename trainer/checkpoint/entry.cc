#include "trainer/checkpoint/entry.h"

#include "dataloader/crc32c.h"
#include "dataloader/records/little_endian.h"
#include "dataloader/records/wire.h"
#include "trainer/checkpoint/slice_key.h"

namespace carrack::checkpoint {
namespace {

namespace wire = data::wire;
using Message = std::vector<std::byte>;

constexpr std::uint64_t bundle_version = 1;
constexpr std::size_t dimensions_max = 254;  // TensorFlow's own limit

// Appends nothing if `value` is 0, because proto3 omits such fields.
void append_number_field(Message& message, std::uint32_t id, std::uint64_t value) {
  if (value == 0) return;
  wire::append_tag(message, id, wire::Type::varint);
  wire::append_varint(message, value);
}

// Refuses numbers of more than 64 bits. If they were truncated, they would name other bytes than the writer meant.
wire::Reader reader_of(wire::View message) {
  return wire::Reader(message, wire::Overflow::refuse);
}

bool is_number(const wire::Field& field, std::uint32_t id) {
  return field.id == id && field.type == wire::Type::varint;
}

bool is_message(const wire::Field& field, std::uint32_t id) {
  return field.id == id && field.type == wire::Type::delimited;
}

// TensorShapeProto{repeated Dim{int64 size = 1; string name = 2} dim = 2; bool unknown_rank = 3}
Message encode_shape(const Shape& shape) {
  Message message;
  for (const std::int64_t size : shape) {
    Message dimension;
    append_number_field(dimension, 1, static_cast<std::uint64_t>(size));
    wire::append_delimited(message, 2, dimension);
  }
  return message;
}

std::optional<Shape> decode_shape(wire::View message) {
  Shape shape;
  wire::Reader fields = reader_of(message);
  while (const auto field = fields.next()) {
    if (is_number(*field, 3) && field->number != 0) return std::nullopt;
    if (!is_message(*field, 2)) continue;
    std::int64_t size = 0;
    wire::Reader dimension = reader_of(field->bytes);
    while (const auto inner = dimension.next()) {
      if (is_number(*inner, 1)) size = static_cast<std::int64_t>(inner->number);
    }
    if (dimension.malformed() || shape.size() == dimensions_max) return std::nullopt;
    shape.push_back(size);
  }
  if (fields.malformed()) return std::nullopt;
  return shape;
}

// TensorSliceProto{repeated Extent{int64 start = 1; oneof {int64 length = 2}} extent = 1}; an extent without a length
// is the whole dimension.
Message encode_slice(const std::vector<Extent>& extents) {
  Message message;
  for (const Extent extent : extents) {
    Message inner;
    if (extent != whole_dimension) {
      append_number_field(inner, 1, static_cast<std::uint64_t>(extent.start));
      append_number_field(inner, 2, static_cast<std::uint64_t>(extent.length));
    }
    wire::append_delimited(message, 1, inner);
  }
  return message;
}

std::optional<std::vector<Extent>> decode_slice(wire::View message) {
  std::vector<Extent> extents;
  wire::Reader fields = reader_of(message);
  while (const auto field = fields.next()) {
    if (!is_message(*field, 1)) continue;
    Extent extent = whole_dimension;
    wire::Reader inner = reader_of(field->bytes);
    while (const auto number = inner.next()) {
      if (is_number(*number, 1)) extent.start = static_cast<std::int64_t>(number->number);
      if (is_number(*number, 2)) extent.length = static_cast<std::int64_t>(number->number);
    }
    const bool sound = extent == whole_dimension || (extent.start >= 0 && extent.length >= 0);
    if (!sound || inner.malformed() || extents.size() == dimensions_max) return std::nullopt;
    extents.push_back(extent);
  }
  if (fields.malformed()) return std::nullopt;
  return extents;
}

// VersionDef{int32 producer = 1; int32 min_consumer = 2; repeated int32 bad_consumers = 3}
Message encode_version() {
  Message message;
  append_number_field(message, 1, bundle_version);
  return message;
}

bool readable_version(wire::View message) {
  wire::Reader fields = reader_of(message);
  while (const auto field = fields.next()) {
    if (is_number(*field, 2) && field->number > bundle_version) return false;
  }
  return !fields.malformed();
}

}  // namespace

// BundleHeaderProto{int32 num_shards = 1; enum{LITTLE, BIG} endianness = 2; VersionDef version = 3}
std::string encode_header(std::uint32_t shards) {
  Message message;
  append_number_field(message, 1, shards);
  wire::append_delimited(message, 3, encode_version());
  return std::string(wire::text_of(message));
}

Decoded<std::uint32_t> decode_header(std::string_view message) {
  std::uint64_t shards = 0;
  wire::Reader fields = reader_of(wire::bytes_of(message));
  while (const auto field = fields.next()) {
    if (is_number(*field, 1)) shards = field->number;
    if (is_number(*field, 2) && field->number != 0) return Corrupt{"is of a big-endian machine"};
    if (is_message(*field, 3) && !readable_version(field->bytes)) {
      return Corrupt{"is of a newer version of the bundle than 1"};
    }
  }
  if (fields.malformed()) return Corrupt{"has a header that cannot be read"};
  if (shards == 0 || shards > shards_max) return Corrupt{"names " + std::to_string(shards) + " shards"};
  return static_cast<std::uint32_t>(shards);
}

// BundleEntryProto{DataType dtype = 1; TensorShapeProto shape = 2; int32 shard_id = 3; int64 offset = 4;
// int64 size = 5; fixed32 crc32c = 6; repeated TensorSliceProto slices = 7}
std::string encode_entry(const BundleEntry& entry) {
  Message message;
  append_number_field(message, 1, static_cast<std::uint64_t>(entry.dtype));
  wire::append_delimited(message, 2, encode_shape(entry.shape));
  append_number_field(message, 3, entry.shard);
  append_number_field(message, 4, entry.offset);
  append_number_field(message, 5, entry.size);
  if (const std::uint32_t crc = data::masked(entry.crc32c); entry.slices.empty() && crc != 0) {
    wire::append_tag(message, 6, wire::Type::fixed32);
    data::append_number(message, crc);
  }
  for (const std::vector<Extent>& slice : entry.slices) wire::append_delimited(message, 7, encode_slice(slice));
  return std::string(wire::text_of(message));
}

std::optional<BundleEntry> decode_entry(std::string_view message) {
  BundleEntry entry;
  entry.dtype = DType{};
  std::uint32_t stored_crc = 0;
  wire::Reader fields = reader_of(wire::bytes_of(message));
  while (const auto field = fields.next()) {
    if (is_number(*field, 1)) entry.dtype = static_cast<DType>(field->number);
    if (is_number(*field, 3)) entry.shard = field->number;
    if (is_number(*field, 4)) entry.offset = field->number;
    if (is_number(*field, 5)) entry.size = field->number;
    if (field->id == 6 && field->type == wire::Type::fixed32) stored_crc = static_cast<std::uint32_t>(field->number);
    if (is_message(*field, 2)) {
      std::optional<Shape> shape = decode_shape(field->bytes);
      if (!shape) return std::nullopt;
      entry.shape = std::move(*shape);
    }
    if (is_message(*field, 7)) {
      std::optional<std::vector<Extent>> slice = decode_slice(field->bytes);
      if (!slice) return std::nullopt;
      entry.slices.push_back(std::move(*slice));
    }
  }
  if (fields.malformed()) return std::nullopt;
  if (entry.slices.empty()) entry.crc32c = data::unmasked(stored_crc);
  return entry;
}

}  // namespace carrack::checkpoint
