#include "dataloader/pipeline/rows/row_bytes.h"

#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "dataloader/crc32c.h"
#include "dataloader/error.h"
#include "dataloader/pipeline/rows/state.h"

namespace carrack::data {
namespace {

[[noreturn]] void throw_damaged() {
  throw Error("the saved rows are damaged");
}

void write(StateWriter& text, const ColumnValues& values) {
  text.number(values.index());
  std::visit(
      [&](const auto& all) {
        using Value = typename std::decay_t<decltype(all)>::value_type;
        if constexpr (std::is_same_v<Value, std::string_view>) {
          text.number(all.size());
          for (const std::string_view string : all) text.text(string);
        } else {
          text.text({reinterpret_cast<const char*>(all.data()), all.size() * sizeof(Value)});
        }
      },
      values);
}

template <typename Value>
LargeVector<Value> numbers_from(std::string_view bytes) {
  if (bytes.size() % sizeof(Value) != 0) throw_damaged();
  LargeVector<Value> values(bytes.size() / sizeof(Value));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// Reads the number of elements that follow. Each element takes at least one byte, so a number above the size of `all`
// is damage. The check prevents damaged bytes from allocating much memory.
std::uint64_t count_from(StateReader& text, std::string_view all) {
  const std::uint64_t count = text.number();
  if (count > all.size()) throw_damaged();
  return count;
}

ColumnValues values_from(StateReader& text, std::string_view all) {
  static_assert(std::variant_size_v<ColumnValues> == 4, "read the new type of values below");
  switch (text.number()) {
    case 0: {
      LargeVector<std::string_view> strings(count_from(text, all));
      for (std::string_view& string : strings) string = text.text();
      return strings;
    }
    case 1:
      return numbers_from<float>(text.text());
    case 2:
      return numbers_from<std::int64_t>(text.text());
    case 3:
      return numbers_from<std::uint8_t>(text.text());
    default:
      throw_damaged();
  }
}

// True if the splits and the number of values fit the column's shape and the number of rows.
bool has_valid_sizes(const NamedColumn& column, std::size_t rows) {
  std::size_t items = rows;
  for (const std::vector<std::size_t>& splits : column.splits) {
    if (splits.size() != items + 1 || splits.front() != 0) return false;
    for (std::size_t i = 0; i + 1 < splits.size(); ++i)
      if (splits[i] > splits[i + 1]) return false;
    items = splits.back();
  }
  std::size_t values = items;
  for (const std::size_t side : column.item)
    if (__builtin_mul_overflow(values, side, &values)) return false;
  return std::visit([&](const auto& all) { return all.size() == values; }, column.values);
}

}  // namespace

std::string rows_to_bytes(const Rows& rows) {
  StateWriter text;
  text.number(rows.count);
  text.number(rows.columns.size());
  for (const NamedColumn& column : rows.columns) {
    text.text(column.name);
    text.number(column.item.size());
    for (const std::size_t side : column.item) text.number(side);
    text.number(column.splits.size());
    for (const std::vector<std::size_t>& splits : column.splits) {
      text.number(splits.size());
      for (const std::size_t split : splits) text.number(split);
    }
    write(text, column.values);
  }
  text.number(rows.origins.size());
  for (const Origin& origin : rows.origins) {
    text.text(*origin.file);
    text.number(origin.record);
    text.number(origin.offset);
  }
  text.number(rows.places.size());
  for (const Place& place : rows.places) {
    text.number(place.epoch);
    text.number(place.number);
  }
  return text.bytes();
}

Rows rows_from_bytes(std::string_view bytes) {
  const auto own = std::make_shared<const std::string>(bytes);
  StateReader text(*own);
  Rows rows;
  rows.memory.push_back(own);
  rows.count = text.number();
  rows.columns.resize(count_from(text, bytes));
  for (NamedColumn& column : rows.columns) {
    column.name = text.text();
    column.item.resize(count_from(text, bytes));
    for (std::size_t& side : column.item) side = text.number();
    column.splits.resize(count_from(text, bytes));
    for (std::vector<std::size_t>& splits : column.splits) {
      splits.resize(count_from(text, bytes));
      for (std::size_t& split : splits) split = text.number();
    }
    column.values = values_from(text, bytes);
    if (!has_valid_sizes(column, rows.count)) throw_damaged();
  }
  rows.origins.resize(count_from(text, bytes));
  if (!rows.origins.empty() && rows.origins.size() != rows.count) throw_damaged();
  std::shared_ptr<const std::string> file;
  for (Origin& origin : rows.origins) {
    const std::string_view name = text.text();
    if (!file || *file != name) file = std::make_shared<const std::string>(name);
    origin.file = file;
    origin.record = text.number();
    origin.offset = text.number();
  }
  rows.places.resize(count_from(text, bytes));
  if (!rows.places.empty() && rows.places.size() != rows.count) throw_damaged();
  for (Place& place : rows.places) {
    place.epoch = text.number();
    place.number = text.number();
  }
  if (!text.at_end() || (rows.columns.empty() && rows.count > 0)) throw_damaged();
  return rows;
}

std::uint32_t checksum_of(const Rows& rows) {
  const std::string bytes = rows_to_bytes(rows);
  return crc32c(std::as_bytes(std::span(bytes)), 0);
}

std::uint32_t checksum_of(const ColumnValues& values) {
  return checksum_of(Rows{.columns = {{"", values}}});
}

}  // namespace carrack::data
