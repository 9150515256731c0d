// What moves through a pipeline: many rows at once, column by column, never a single element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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

// As an Example's values, and the small numbers that images are made of.
using ColumnValues = std::variant<LargeVector<std::string_view>, LargeVector<float>, LargeVector<std::int64_t>,
                                  LargeVector<std::uint8_t>>;

struct NamedColumn {
  std::string name;
  ColumnValues values = {};
  // The shape of an item; none of a single value.
  std::vector<std::size_t> item = {};
  // As in records/example.h: where each row's list begins; none where each row is one item.
  std::vector<std::vector<std::size_t>> splits = {};

  std::size_t item_size() const;
  bool operator==(const NamedColumn&) const = default;
};

// Where a row was read.
struct Origin {
  std::shared_ptr<const std::string> file;
  std::uint64_t record = 0;  // counted from 0 in its file
  std::uint64_t offset = 0;  // of it in the file
};

// A row that was asked for and is not there.
struct Lost {
  std::size_t asked = 0;  // its number among those asked for; in a stream nobody asks
  Corrupt why;
};

struct Rows {
  std::size_t count = 0;
  std::vector<NamedColumn> columns = {};
  std::vector<Origin> origins = {};  // of each row; none where a row comes from no file
  std::vector<Place> places = {};    // of each row in its source, which draws are made from; none where a row has none
  std::vector<Lost> lost = {};       // in the order in which they were asked for
  // What the strings of the columns lie in.
  std::vector<std::shared_ptr<const void>> memory = {};

  // Throws an Error that names the columns there are.
  const NamedColumn& column(std::string_view name) const;
  NamedColumn& column(std::string_view name);
};

// Changes rows in place, each by itself and with the same result whenever it is called. Many threads call it at once.
using RowsFunction = std::function<void(Rows&)>;

// Leaves out the rows of which `kept` says false; it has one value for each row.
void keep(Rows& rows, const std::vector<bool>& kept);

// Takes a row for lost: it is left out, and told of by its number among those asked for.
struct BadRow {
  std::size_t row = 0;
  Corrupt why;
};
void lose(Rows& rows, std::vector<BadRow> bad);

// That a row is bad, with where it was read, as far as that is known.
Corrupt bad_row(const Rows& rows, std::size_t row, Fault fault, std::string what);

// Throws an Error in the name of who made them unless each column has a value for each row.
void require_whole(const Rows& rows, const std::string& who);

// Puts some rows of `from` behind those of `to`. What is lost is not moved. Throws an Error for rows of other columns.
void append(Rows& to, const Rows& from, Range range);

// The same rows, whose strings lie in memory of their own: what they lay in may hold much that nobody wants.
Rows with_own_memory(Rows rows);

// Puts the columns of `from`, which has as many rows, beside those of `to`, if there are any yet. Throws an Error where
// both have one of a name.
void put_beside(Rows& to, Rows from);

// Makes the lists of a column, which is none of lists of lists, as long as the longest, by the value given: one of the
// column's type, or nothing for 0 or "".
void pad(NamedColumn& column, const ColumnValues& value);

}  // namespace carrack::data
