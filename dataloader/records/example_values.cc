#include "dataloader/records/example_values.h"

#include <bit>
#include <cstring>

#include "dataloader/records/packed_varints.h"
#include "dataloader/records/raw_numbers.h"
#include "dataloader/records/wire.h"

namespace carrack::data {
namespace {

using wire::View;

// The add() of each struct takes one field `value` of a BytesList, FloatList or Int64List. It adds the field's values
// to `into` and returns `good`, or returns what is wrong with the field.
struct Strings {
  static constexpr Dtype kind = Dtype::bytes;
  Outcome add(const wire::Field& field, ValueWriter<std::string_view>& into) const {
    if (field.type != wire::Type::delimited) return Outcome::malformed;
    into.add(wire::text_of(field.bytes));
    return Outcome::good;
  }
};

struct Floats {
  static constexpr Dtype kind = Dtype::float32;
  Outcome add(const wire::Field& field, ValueWriter<float>& into) const {
    if (field.type == wire::Type::fixed32) {
      into.add(std::bit_cast<float>(static_cast<std::uint32_t>(field.number)));
      return Outcome::good;
    }
    if (field.type != wire::Type::delimited || field.bytes.size() % sizeof(float) != 0) return Outcome::malformed;
    const std::span<float> next = into.next(field.bytes.size() / sizeof(float));
    if (!next.empty()) std::memcpy(next.data(), field.bytes.data(), next.size_bytes());
    return Outcome::good;
  }
};

struct Ints {
  static constexpr Dtype kind = Dtype::int64;
  Outcome add(const wire::Field& field, ValueWriter<std::int64_t>& into) const {
    if (field.type == wire::Type::varint) {
      into.add(static_cast<std::int64_t>(field.number));
      return Outcome::good;
    }
    if (field.type != wire::Type::delimited) return Outcome::malformed;
    const View packed = field.bytes;
    // The upper bit of a byte says that the number continues, so the last byte must not have it.
    if (!packed.empty() && (packed.back() & std::byte{0x80}) != std::byte{0}) return Outcome::malformed;
    const std::size_t count = varints_in(packed);
    const std::span<std::int64_t> next = into.next(count);
    // Too many values are not decoded. The caller sees their number in into.count(), and reports it.
    const bool too_many = next.size() < count;
    return too_many || decode_varints(packed, next) ? Outcome::good : Outcome::malformed;
  }
};

struct RawNumbers {
  static constexpr Dtype kind = Dtype::bytes;
  Raw raw;
  template <typename Value>
  Outcome add(const wire::Field& field, ValueWriter<Value>& into) const {
    if (field.type != wire::Type::delimited) return Outcome::malformed;
    if (field.bytes.size() % size_of(raw) != 0) return Outcome::no_numbers;
    decode_numbers(field.bytes, raw, into.next(field.bytes.size() / size_of(raw)));
    return Outcome::good;
  }
};

template <typename Kind, typename Value>
Parsed read_list(View list, const Kind& kind, std::uint32_t id, ValueWriter<Value>& into) {
  wire::Reader fields(list);
  for (;;) {
    const View at = fields.left();
    const std::optional<wire::Field> field = fields.next();
    if (!field) return fields.malformed() ? Parsed{Outcome::malformed, id, at} : Parsed{Outcome::good, id};
    if (field->id != 1) continue;
    if (const Outcome outcome = kind.add(*field, into); outcome != Outcome::good) return {outcome, id, at};
  }
}

template <typename Kind, typename Value>
Parsed read(View feature, const Kind& kind, ValueWriter<Value>& into) {
  Parsed parsed;
  wire::Reader fields(feature);
  for (;;) {
    const View at = fields.left();
    const std::optional<wire::Field> field = fields.next();
    if (!field) return fields.malformed() ? Parsed{Outcome::malformed, parsed.kind, at} : parsed;
    // A tf.Feature has its list in field 1, 2 or 3. Other fields are unknown and ignored.
    if (field->id > 3) continue;
    if (field->type != wire::Type::delimited) return {Outcome::malformed, field->id, at};
    if (parsed.kind != 0 && parsed.kind != field->id) return {Outcome::two_kinds, field->id, at};
    if (field->id != static_cast<std::uint32_t>(Kind::kind)) return {Outcome::other_kind, field->id, at};
    parsed = read_list(field->bytes, kind, field->id, into);
    if (parsed.outcome != Outcome::good) return parsed;
  }
}

}  // namespace

Parsed read_values(View feature, std::optional<Raw>, ValueWriter<std::string_view>& into) {
  return read(feature, Strings{}, into);
}

Parsed read_values(View feature, std::optional<Raw> raw, ValueWriter<float>& into) {
  return raw ? read(feature, RawNumbers{*raw}, into) : read(feature, Floats{}, into);
}

Parsed read_values(View feature, std::optional<Raw> raw, ValueWriter<std::int64_t>& into) {
  return raw ? read(feature, RawNumbers{*raw}, into) : read(feature, Ints{}, into);
}

}  // namespace carrack::data
