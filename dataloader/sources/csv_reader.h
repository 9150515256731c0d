// Reads a CSV file, docs/formats/csv.md: RFC 4180, with the names of its columns in the first line or in the options.
// Values are parsed straight into the columns of a batch; fields that are not requested are only scanned for quotes.
// Empty lines are not rows. Not thread-safe.
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
  // The names of all columns of the file, whose first line is then a row. nullopt or empty: its first line that is not
  // empty has the names.
  std::optional<std::vector<std::string>> columns = {};
  // Texts that mean a missing value, besides the empty text (missing_values.h).
  std::vector<std::string> missing = {};
  // Where to begin: a place() of a reader of this file with the same columns. By default at the first row.
  TextPlace from = {};
  std::size_t piece = std::size_t{256} << 10;  // the number of bytes of one read of the file
};

class CsvReader final : public RowReader {
 public:
  // Each feature is read from the column of its name. Shape::item reads one value; a missing value becomes the default,
  // and without a default the row is lost and returned as Corrupt. Shape::list reads a list of one value, which is
  // empty if the value is missing. Throws Error for other requests, and for a delimiter that is a quote or a line
  // break. The file must outlive the reader.
  CsvReader(const ByteSource& file, std::vector<Feature> features, CsvOptions options = {});

  // The names of all columns of the file. Known after begin(); empty if the file has no line that is not empty.
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
  bool is_missing(const Feature& feature, std::string_view text) const;
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

// Returns the names of the columns of a file; empty if it has no line that is not empty. A name that occurs twice is a
// fault. Throws Error if the storage fails.
std::variant<std::vector<std::string>, Corrupt> csv_columns(const ByteSource& file, const CsvOptions& options);

}  // namespace carrack::data
