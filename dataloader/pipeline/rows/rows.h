// Rows: what moves through a pipeline, a number of rows in columnar form (as in Arrow), and the functions that change
// them. A row is an example of the data set, such as one record of a TFRecord file. A column is a feature of all these
// rows.
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

// The values of a column: the types of an Example's values, and uint8 for images. Strings are views into memory that
// Rows::memory owns.
using ColumnValues = std::variant<LargeVector<std::string_view>, LargeVector<float>, LargeVector<std::int64_t>,
                                  LargeVector<std::uint8_t>>;
// The names of the types in ColumnValues, in their order.
constexpr const char* kind_names[] = {"bytes", "float32", "int64", "uint8"};
static_assert(std::size(kind_names) == std::variant_size_v<ColumnValues>, "name the new type of values");

// A column of items or of lists of items. For example:
//   three rows that are images of 2 x 2: 12 values, item {2, 2}, no splits
//   three rows that are the lists 1 2, nothing, 3: values 1 2 3, no item, splits {{0, 2, 2, 3}}
struct NamedColumn {
  std::string name;
  ColumnValues values = {};  // of all rows, one row after the other
  // The shape of an item; empty if an item is one value. All items of the column have it.
  std::vector<std::size_t> item = {};
  // Empty if each row is one item. Otherwise splits[0] has, counted in items, where the list of each row begins, and
  // where the last list ends: one element more than there are rows. With lists of lists splits[0] counts lists, and
  // splits[1] has where these begin, and so on, as Column::splits in records/example.h.
  std::vector<std::vector<std::size_t>> splits = {};

  // The number of values in an item: 1 if `item` is empty.
  std::size_t item_size() const;
  bool operator==(const NamedColumn&) const = default;
};

// Where a row comes from.
struct Origin {
  std::shared_ptr<const std::string> file;  // its name, such as its URL; never null in Rows
  std::uint64_t record = 0;                 // number of the record in its file, from 0
  std::uint64_t offset = 0;  // of the record in the file; in the inflated bytes if the file is compressed
};

// A row that cannot be used, because its file is damaged or it lacks requested values.
struct Lost {
  // From a sequence (sequence.h): the index among the rows that the call requested. From a stream (stream.h): the index
  // among the rows of this result, including the lost rows. The index is not changed when a function drops other rows.
  std::size_t index = 0;
  Corrupt why;
};

struct Rows {
  std::size_t count = 0;  // number of rows, without the lost ones
  std::vector<NamedColumn> columns = {};
  std::vector<Origin> origins = {};  // one for each row; empty if any row comes from no file
  // For each row its number in the epoch of its source, and the epoch, from which functions draw random numbers; empty
  // if any row has none.
  std::vector<Place> places = {};
  std::vector<Lost> lost = {};  // sorted by index; no index occurs twice
  // True: reading stops after these rows, because the next row cannot be used. That row is then the only one in `lost`.
  bool is_cut = false;
  // True: this result of a stream of batches is a batch, or the share of this reader in one. It has no rows if the
  // share is empty or all its rows are lost. False for lost rows that come after the last batch.
  bool is_batch = false;
  // Owns the memory that the strings of the columns point into. Copies of the Rows share it.
  std::vector<std::shared_ptr<const void>> memory = {};

  // Returns the column with this name. Throws an Error that lists the columns if there is none.
  const NamedColumn& column(std::string_view name) const;
  NamedColumn& column(std::string_view name);
};

// A stage's function that changes rows in place, for example parses or filters them. It must have the same result for
// the same rows each time. Many threads may call it at the same time, each with other rows. The result for a row must
// not depend on the other rows of the call, except for padding, because pipelines may divide rows into calls in any
// way. Exceptions that it throws are thrown to the reader of the pipeline.
using RowsFunction = std::function<void(Rows&)>;

// Returns the index of each usable row among the requested rows: 0, 2, 3 if four rows were requested and the row with
// index 1 is lost. The result has Rows::count elements.
std::vector<std::size_t> indexes_of(const Rows& rows);

// Removes the rows for which `kept` is false. `kept` must have one element for each row. Leaves rows.lost unchanged.
void filter_rows(Rows& rows, const std::vector<bool>& kept);

// A row that turned out to be unusable, and why.
struct BadRow {
  std::size_t row = 0;  // index among the rows that are not lost
  Corrupt why;
};
// Moves these rows from the columns to rows.lost, for a RowsFunction that finds rows it cannot use. `bad` may be in any
// order, but must have a row only once.
void drop_bad_rows(Rows& rows, std::vector<BadRow> bad);

// Cuts the rows where reading stops with OnDamage::stop: at the first lost row. Removes all rows after it. Afterwards
// that row is the only one in rows.lost, with index rows.count, and rows.is_cut is true. Changes nothing if no row is
// lost.
void cut_at_first_lost(Rows& rows);

// Describes damage of the row with index `row` among the rows that are not lost: with its file, record and offset if
// the rows have origins; otherwise the file is empty and the record is `row`. `what` is the message. `rows` is
// unchanged.
Corrupt bad_row(const Rows& rows, std::size_t row, Fault fault, std::string what);

// Checks rows that user code has made. Throws an Error, whose text begins with `maker`, such as "map crop", unless each
// column has one item, or one outermost list, for each row. Skips columns whose items have no values. Does not check
// the lengths of lists.
void check_rows(const Rows& rows, const std::string& maker);

// Appends a range of the rows of `from` to `to`, but not its lost rows. Strings are not copied: `to` then shares their
// memory. Throws an Error if `to` has columns and those of `from` do not have the same names, types and shapes in the
// same order.
void append(Rows& to, const Rows& from, Range range);

// Returns the rows with their strings copied to memory of their own, for rows that are stored for long. Otherwise a few
// rows could keep a whole block of a file in memory.
Rows with_own_memory(Rows rows);

// Adds the columns of `from` to `to`, which must have as many rows unless it has no columns. Origins and places remain
// those of `to` if it has any, and are otherwise those of `from`. The lost rows of `from` are dropped. Throws an Error
// if both have a column of the same name.
void add_columns(Rows& to, Rows from);

// Pads each row's list to the longest list, so that each row becomes one item, whose shape begins with that length. The
// padding is the first element of `value`, or 0 or "" if `value` is empty or of another type than the column. A padding
// string is not copied: its memory must outlive the rows. A column without lists, or with lists of lists, is not
// changed.
void pad(NamedColumn& column, const ColumnValues& value);

}  // namespace carrack::data
