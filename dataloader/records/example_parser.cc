#include <algorithm>
#include <cstring>

#include "dataloader/error.h"
#include "dataloader/records/example.h"
#include "dataloader/records/little_endian.h"
#include "dataloader/records/wire.h"

namespace carrack::data {
namespace {

using Message = std::span<const std::byte>;

std::string quoted(const std::string& name) {
  return "feature \"" + name + "\"";
}

const char* name_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::bytes:
      return "bytes";
    case Dtype::float32:
      return "float";
    case Dtype::int64:
      return "int64";
  }
  return "unknown";
}

// A row being filled; values beyond its end are only counted.
template <typename Value>
struct Row {
  std::span<Value> values;
  std::size_t count = 0;

  void add(Value value) {
    if (count < values.size()) values[count] = value;
    ++count;
  }
};

// Each adds the values of one field `value` of a BytesList, FloatList or Int64List; false where it is none.
bool add_values(const wire::Field& field, Row<std::string_view>& row) {
  if (field.type != wire::Type::delimited) return false;
  row.add(wire::text_of(field.bytes));
  return true;
}

bool add_values(const wire::Field& field, Row<float>& row) {
  if (field.type == wire::Type::fixed32) {
    row.add(std::bit_cast<float>(static_cast<std::uint32_t>(field.number)));
    return true;
  }
  if (field.type != wire::Type::delimited || field.bytes.size() % sizeof(float) != 0) return false;
  const std::size_t size = field.bytes.size() / sizeof(float);
  const std::size_t room = row.values.size() - std::min(row.count, row.values.size());
  const std::size_t copied = std::min(size, room);
  if (copied > 0) std::memcpy(row.values.data() + row.count, field.bytes.data(), copied * sizeof(float));
  row.count += size;
  return true;
}

bool add_values(const wire::Field& field, Row<std::int64_t>& row) {
  if (field.type == wire::Type::varint) {
    row.add(static_cast<std::int64_t>(field.number));
    return true;
  }
  if (field.type != wire::Type::delimited) return false;
  for (Message left = field.bytes; !left.empty();) {
    const std::optional<std::uint64_t> number = wire::take_varint(left);
    if (!number) return false;
    row.add(static_cast<std::int64_t>(*number));
  }
  return true;
}

// What one tf.Feature gave, and the kind of list it was found in.
enum class Outcome { good, unset, other_kind, two_kinds, malformed };
struct Parsed {
  Outcome outcome = Outcome::unset;
  std::uint32_t kind = 0;
};

template <typename Value>
Parsed parse_list(Message list, std::uint32_t kind, Row<Value>& row) {
  wire::Reader fields(list);
  while (const std::optional<wire::Field> field = fields.next()) {
    if (field->id == 1 && !add_values(*field, row)) return {Outcome::malformed, kind};
  }
  return {fields.malformed() ? Outcome::malformed : Outcome::good, kind};
}

// Lists of the same kind behind each other are one list, as protobuf has it.
template <typename Value>
Parsed parse_feature(Message feature, Dtype dtype, Row<Value>& row) {
  Parsed parsed;
  wire::Reader fields(feature);
  while (const std::optional<wire::Field> field = fields.next()) {
    if (field->id > 3) continue;
    if (field->type != wire::Type::delimited) return {Outcome::malformed, field->id};
    if (parsed.kind != 0 && parsed.kind != field->id) return {Outcome::two_kinds, field->id};
    if (field->id != static_cast<std::uint32_t>(dtype)) return {Outcome::other_kind, field->id};
    parsed = parse_list(field->bytes, field->id, row);
    if (parsed.outcome != Outcome::good) return parsed;
  }
  return fields.malformed() ? Parsed{Outcome::malformed, parsed.kind} : parsed;
}

std::optional<std::string> problem(const Feature& asked, const Parsed& parsed, std::size_t count) {
  switch (parsed.outcome) {
    case Outcome::unset:
      return "there is no " + quoted(asked.name);
    case Outcome::other_kind:
      return quoted(asked.name) + " holds " + name_of(static_cast<Dtype>(parsed.kind)) + " values, and " +
             name_of(asked.dtype) + " was asked for";
    case Outcome::two_kinds:
      return quoted(asked.name) + " holds values of two kinds";
    case Outcome::malformed:
      return quoted(asked.name) + " is malformed";
    case Outcome::good:
      break;
  }
  if (count == asked.count) return std::nullopt;
  return quoted(asked.name) + " has " + std::to_string(count) + " values, and " + std::to_string(asked.count) +
         " were asked for";
}

}  // namespace

ExampleParser::ExampleParser(std::vector<Feature> features) : features_(std::move(features)), found_(features_.size()) {
  for (std::size_t i = 0; i < features_.size(); ++i) {
    if (features_[i].count == 0) throw Error(quoted(features_[i].name) + " is asked for with no values");
    if (!places_.emplace(features_[i].name, i).second) throw Error(quoted(features_[i].name) + " is asked for twice");
  }
}

std::vector<Column> ExampleParser::columns(std::size_t rows) const {
  std::vector<Column> made;
  for (const Feature& feature : features_) {
    const std::size_t size = rows * feature.count;
    if (feature.dtype == Dtype::bytes) made.emplace_back(std::vector<std::string_view>(size));
    if (feature.dtype == Dtype::float32) made.emplace_back(std::vector<float>(size));
    if (feature.dtype == Dtype::int64) made.emplace_back(std::vector<std::int64_t>(size));
  }
  return made;
}

std::optional<Mismatch> ExampleParser::parse(Message record, std::size_t row, std::span<Column> columns) {
  if (!find_features(record)) return Mismatch{malformed_at_, "it is no tf.Example"};
  for (std::size_t i = 0; i < features_.size(); ++i) {
    const Feature& asked = features_[i];
    const auto into_row = [&]<typename Value>(std::vector<Value>& column) -> std::optional<Mismatch> {
      Row<Value> into{std::span(column).subspan(row * asked.count, asked.count)};
      const Parsed parsed = parse_feature(found_[i], asked.dtype, into);
      const std::optional<std::string> what = problem(asked, parsed, into.count);
      if (!what) return std::nullopt;
      const std::byte* at = found_[i].empty() ? record.data() : found_[i].data();
      return Mismatch{static_cast<std::size_t>(at - record.data()), *what};
    };
    if (std::optional<Mismatch> mismatch = std::visit(into_row, columns[i])) return mismatch;
  }
  return std::nullopt;
}

// The last feature of a name counts, and one without a list is as good as absent: TensorFlow does both.
bool ExampleParser::find_features(Message record) {
  std::fill(found_.begin(), found_.end(), Message());
  std::size_t position = 0;
  wire::Reader example(record);
  for (;;) {
    malformed_at_ = record.size() - example.left().size();
    const std::optional<wire::Field> features = example.next();
    if (!features) return !example.malformed();
    if (features->id != 1) continue;
    if (features->type != wire::Type::delimited || !find_in(features->bytes, position)) return false;
  }
}

bool ExampleParser::find_in(Message features, std::size_t& position) {
  wire::Reader entries(features);
  while (const std::optional<wire::Field> entry = entries.next()) {
    if (entry->id != 1) continue;
    if (entry->type != wire::Type::delimited) return false;
    std::string_view name;
    Message value;
    wire::Reader fields(entry->bytes);
    while (const std::optional<wire::Field> field = fields.next()) {
      if (field->id > 2) continue;
      if (field->type != wire::Type::delimited) return false;
      if (field->id == 1) name = wire::text_of(field->bytes);
      if (field->id == 2) value = field->bytes;
    }
    if (fields.malformed()) return false;
    const Place place = place_of(name, position++);
    if (place && !value.empty()) found_[*place] = value;
  }
  return !entries.malformed();
}

ExampleParser::Place ExampleParser::place_of(std::string_view name, std::size_t position) {
  if (position < seen_.size() && seen_[position].name == name) return seen_[position].place;
  const auto found = places_.find(std::string(name));
  const Place place = found == places_.end() ? Place() : Place(found->second);
  constexpr std::size_t most_remembered = 4096;  // A hostile record may hold any number of names.
  if (position < seen_.size())
    seen_[position] = {std::string(name), place};
  else if (position < most_remembered)
    seen_.push_back({std::string(name), place});
  return place;
}

}  // namespace carrack::data
