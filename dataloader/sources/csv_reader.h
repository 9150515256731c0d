// CsvReader: a RowReader that parses a CSV file into the columns of a batch. The CSV is that of RFC 4180, with the
// names of its columns in the first line or in the options. Only requested columns are parsed. Empty lines are not
// rows. docs/formats/csv.md. Not thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dataloader/records/byte_source.h"
#include "dataloader/sources/csv_fields.h"
#include "dataloader/sources/missing_values.h"
#include "dataloader/sources/row_reader.h"

namespace carrack::data {

struct CsvOptions {
  char delimiter = ',';
  // The names of all columns, for a file without a line of names. nullopt or empty: the first line that is not empty
  // has the names.
  std::optional<std::vector<std::string>> columns = {};
  // Texts such as "NA" that mean a missing value (missing_values.h). They are compared with the values of fields, which
  // do not have the quotes around a field, and have one quote for each doubled quote. An empty field is always a
  // missing value, except for "" in quotes in a column of bytes.
  std::vector<std::string> missing = {};
  // Where to begin: the place() of an earlier reader of this file with the same `columns`. By default at the first row.
  TextPlace from = {};
  std::size_t piece = std::size_t{256} << 10;  // the number of bytes of one read of the file
};

class CsvReader final : public RowReader {
 public:
  // Each feature is read from the column of its name, and must have a `count` of 1. Shape::item reads one value; a
  // missing value becomes the default, and without a default the row is lost: next() returns it as Corrupt. Shape::list
  // reads a list of one value, or an empty list if the value is missing. If the file has no column of that name, or
  // two, begin() or the first next() returns Fault::wrong_kind, and then next() the end; a file with only empty lines
  // has no rows and no fault. Throws Error for other requests, and for a delimiter that is a quote or a line break. The
  // file must outlive the reader.
  CsvReader(const ByteSource& file, std::vector<Feature> features, CsvOptions options = {});

  // The names of all columns of the file. Known after begin(); empty if the file has only empty lines, or the names
  // cannot be read.
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::optional<Corrupt> read_header() override;
  std::optional<FilledRows> fill_rows(std::size_t most) override;
  std::variant<TextRows, EndOfFile, Corrupt> end_of_rows() override;
  std::optional<Corrupt> read_names();
  std::optional<Corrupt> find_columns();
  void locate(std::size_t most);
  void choose_rows(std::size_t most);
  void lose(const CsvFields::Row& row, std::size_t at, std::string message, Fault fault = Fault::bad_row);

  std::string_view field(const CsvFields::Row& row, std::size_t column) const;
  bool is_empty(const CsvFields::Row& row) const;
  std::size_t next_line_of(const CsvFields::Row& row) const;
  std::string name_of(std::size_t column) const;
  void fill();
  template <typename Value>
  void fill(std::size_t feature_index, LargeVector<Value>& values);
  template <typename Value>
  bool fill_general(const Feature& feature, std::string_view text, Value& value) const;
  bool is_missing(const Feature& feature, std::string_view field) const;
  void make_list(std::size_t feature_index);
  void undouble(std::size_t column, LargeVector<std::string_view>& values);

  const CsvOptions options_;
  const MissingValues missing_values_;
  CsvFields fields_;
  std::vector<std::string> names_;
  std::vector<std::size_t> places_;                // the index of each feature in names_
  std::vector<std::vector<std::size_t>> missing_;  // for each list feature, the rows without a value
  std::vector<CsvFields::Row> rows_;               // the rows that next() returns
  std::size_t passed_ = 0;                         // number of bytes of these rows and of empty lines
};

// Returns the names of the columns of a file: options.columns, or the names in its first line. Empty if the file has
// only empty lines. Returns Corrupt if they cannot be read, or a name occurs twice. Throws Error if the storage fails.
std::variant<std::vector<std::string>, Corrupt> csv_columns(const ByteSource& file, const CsvOptions& options);

}  // namespace carrack::data
