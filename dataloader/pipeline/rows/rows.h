// Rows: what moves through a pipeline. Many rows are passed at once, column by column, never one at a time.
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

// The values of a column: the types of an Example's values, and uint8 for images.
using ColumnValues = std::variant<LargeVector<std::string_view>, LargeVector<float>, LargeVector<std::int64_t>,
                                  LargeVector<std::uint8_t>>;
// The names of the types in ColumnValues, in their order.
constexpr const char* kind_names[] = {"bytes", "float32", "int64", "uint8"};
static_assert(std::size(kind_names) == std::variant_size_v<ColumnValues>, "name the new type of values");

struct NamedColumn {
  std::string name;
  ColumnValues values = {};  // of all rows, one after the other
  // The shape of an item; empty if an item is one value.
  std::vector<std::size_t> item = {};
  // Where each row's list begins and the last one ends, counted in items; for lists of lists counted in lists, and then
  // the next level inwards (as Column::splits in records/example.h). Empty if each row is one item.
  std::vector<std::vector<std::size_t>> splits = {};

  // The number of values in an item.
  std::size_t item_size() const;
  bool operator==(const NamedColumn&) const = default;
};

// Where a row comes from.
struct Origin {
  std::shared_ptr<const std::string> file;  // its name, such as the URL; never null in Rows
  std::uint64_t record = 0;                 // counted from 0 in its file
  std::uint64_t offset = 0;                 // of the record in the file, inflated if it is compressed
};

// A row that was requested but cannot be used.
struct Lost {
  // From a sequence: the index among the rows that the call requested. From a stream: the index among the rows of this
  // result, including the lost ones. It may be larger if a function has dropped other rows.
  std::size_t index = 0;
  Corrupt why;
};

struct Rows {
  std::size_t count = 0;  // without the lost rows
  std::vector<NamedColumn> columns = {};
  std::vector<Origin> origins = {};  // one for each row; empty if any row comes from no file
  std::vector<Place> places = {};    // one for each row, in its source, for random draws; empty if any row has none
  std::vector<Lost> lost = {};       // sorted by index, each index once
  bool is_cut = false;               // Reading stops after these rows, at the one row in `lost`.
  // Keeps the memory alive that the strings of the columns point into.
  std::vector<std::shared_ptr<const void>> memory = {};

  // Throws an Error if there is no column of this name; the message lists the columns.
  const NamedColumn& column(std::string_view name) const;
  NamedColumn& column(std::string_view name);
};

// Changes rows in place, and gives the same result for the same rows each time. Many threads may call it at once, each
// with other rows. A chunk may have any rows, so the result for a row must not depend on the other rows, except in
// padding.
using RowsFunction = std::function<void(Rows&)>;

// Returns the index of each row among the requested ones, in order: the numbers from 0 on, except the indexes in
// `lost`.
std::vector<std::size_t> indexes_of(const Rows& rows);

// Removes the rows for which `kept` is false. It must have one element for each row. `lost` stays as it is.
void filter_rows(Rows& rows, const std::vector<bool>& kept);

// A row that turned out to be unusable, and why.
struct BadRow {
  std::size_t row = 0;  // its index among the rows that are not lost
  Corrupt why;
};
// Moves these rows to `lost`. A row may occur in `bad` only once.
void drop_bad_rows(Rows& rows, std::vector<BadRow> bad);

// Cuts the rows where reading stops with OnDamage::stop: keeps the rows before the first lost one, keeps only that one
// in `lost`, with index `count`, and sets `is_cut`. Changes nothing if no row is lost.
void cut_at_first_lost(Rows& rows);

// Returns the damage of a row, with its file, record and offset if the rows have origins. Otherwise the file is empty
// and the record is `row`.
Corrupt bad_row(const Rows& rows, std::size_t row, Fault fault, std::string what);

// Throws an Error, whose text begins with `maker`, unless each column has one item, or one outermost list, for each
// row. Skips columns whose items have no values, and does not check the lengths of lists.
void check_rows(const Rows& rows, const std::string& maker);

// Appends a range of the rows of `from`, without its lost rows. Strings are not copied: both then share their memory.
// If `to` has columns, throws an Error unless `from` has columns of the same names, types and shapes in the same order.
void append(Rows& to, const Rows& from, Range range);

// Copies the strings of the rows to memory of their own, so that the memory that they pointed into can be freed.
Rows with_own_memory(Rows rows);

// Adds the columns of `from`, which must have as many rows as `to` unless `to` has no columns. Origins and places are
// those of `to` if it has them, else those of `from`. The lost rows of `from` are dropped. Throws an Error if both have
// a column of the same name.
void add_columns(Rows& to, Rows from);

// Pads each row's list to the longest one, so that each row becomes one item, whose shape begins with that length. The
// padding is the first element of `value`, or 0 or "" if `value` is empty or of another type than the column. A string
// used as padding is not copied: its memory must outlive the rows. Columns without lists, or with lists of lists, stay
// as they are.
void pad(NamedColumn& column, const ColumnValues& value);

}  // namespace carrack::data
