// What moves through a pipeline: many rows at once, column by column, never a single element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dataloader/memory/large_vector.h"
#include "dataloader/order/order.h"
#include "dataloader/order/place.h"
#include "dataloader/records/corrupt.h"

namespace carrack::data {

// The types of an Example's values, and uint8 for images.
using ColumnValues = std::variant<LargeVector<std::string_view>, LargeVector<float>, LargeVector<std::int64_t>,
                                  LargeVector<std::uint8_t>>;
// The names of these types, in their order.
constexpr const char* kind_names[] = {"bytes", "float32", "int64", "uint8"};
static_assert(std::size(kind_names) == std::variant_size_v<ColumnValues>, "name the new type of values");

struct NamedColumn {
  std::string name;
  ColumnValues values = {};
  // The shape of an item; empty if an item is a single value.
  std::vector<std::size_t> item = {};
  // Where each row's list begins, as in records/example.h; empty if each row is one item.
  std::vector<std::vector<std::size_t>> splits = {};

  std::size_t item_size() const;
  bool operator==(const NamedColumn&) const = default;
};

// Where a row comes from.
struct Origin {
  std::shared_ptr<const std::string> file;  // never null in rows
  std::uint64_t record = 0;                 // counted from 0 in its file
  std::uint64_t offset = 0;                 // of the record in the file
};

// A row that was requested and cannot be used.
struct Lost {
  // Among the rows that a call of a Sequence requests. In a stream: among the rows of this result, with lost ones
  // counted; functions that drop other rows may leave it larger.
  std::size_t index = 0;
  Corrupt why;
};

struct Rows {
  std::size_t count = 0;
  std::vector<NamedColumn> columns = {};
  std::vector<Origin> origins = {};  // of each row; empty if any row comes from no file
  std::vector<Place> places = {};    // of each row in its source, for random draws; empty if any row has none
  std::vector<Lost> lost = {};       // sorted by index, each once
  bool is_cut = false;               // The reading stops behind these rows, because of the one that is lost.
  // Keeps alive the memory that the strings of the columns point into.
  std::vector<std::shared_ptr<const void>> memory = {};

  // Throws an Error that names the columns there are.
  const NamedColumn& column(std::string_view name) const;
  NamedColumn& column(std::string_view name);
};

// Changes rows in place, each by itself, with the same result for the same row. Called by many threads at once.
using RowsFunction = std::function<void(Rows&)>;

// The index of each row among the rows that were requested. The other indexes are those of the lost rows.
std::vector<std::size_t> indexes_of(const Rows& rows);

// Removes the rows for which `kept` is false; it has one value for each row.
void filter_rows(Rows& rows, const std::vector<bool>& kept);

// A row that turned out to be unusable.
struct BadRow {
  std::size_t row = 0;  // among the rows that are left
  Corrupt why;
};
// Moves these rows, which are sorted, to `lost`.
void drop_bad_rows(Rows& rows, std::vector<BadRow> bad);

// With OnDamage::stop: removes the first lost row and all behind it, so that it is the only one in `lost`, behind all
// rows that are left, and sets `is_cut`. Changes nothing if none is lost.
void cut_at_first_lost(Rows& rows);

// Describes a bad row with its file and record, as far as they are known.
Corrupt bad_row(const Rows& rows, std::size_t row, Fault fault, std::string what);

// Throws an Error, whose text begins with `maker`, if a column has another number of items, or of outermost lists, than
// there are rows. Checks nothing else: neither the lengths of lists nor columns whose items have no values.
void check_rows(const Rows& rows, const std::string& maker);

// Appends a range of the rows of `from`, but none of its lost ones. Throws an Error if the columns differ.
void append(Rows& to, const Rows& from, Range range);

// The same rows with their strings copied to memory of their own, so that the memory they pointed into can be freed.
Rows with_own_memory(Rows rows);

// Adds the columns of `from`, which has as many rows as `to` (or `to` has no columns yet). Origins and places are those
// of `to` if it has them, else those of `from`; the lost rows of `from` are dropped. Throws an Error if both have a
// column of the same name.
void add_columns(Rows& to, Rows from);

// Pads the lists of a column to the longest of them with the first element of `value`. If `value` is empty or of
// another type than the column, it pads with 0 or "". A string used as padding is not copied: its memory must outlive
// the rows. Columns without lists, or with lists of lists, are left as they are.
void pad(NamedColumn& column, const ColumnValues& value);

}  // namespace carrack::data
