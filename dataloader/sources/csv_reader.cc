#include "dataloader/sources/csv_reader.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/records/example_problems.h"
#include "dataloader/records/wire.h"
#include "dataloader/sources/csv_texts.h"
#include "dataloader/text.h"

namespace carrack::data {
namespace {

// Returns the features. Throws Error if one of them needs more than the one value that a field of CSV has.
std::vector<Feature> sensible(std::vector<Feature> features) {
  check_features(features);
  for (const Feature& requested : features) {
    if (requested.part != Part::features || (requested.shape != Shape::item && requested.shape != Shape::list) ||
        requested.count != 1 || requested.raw)
      throw Error(quoted(requested) + " is asked for as more than one value, and a field of CSV holds one");
  }
  return features;
}

CsvOptions sensible(CsvOptions options) {
  if (options.delimiter == '"' || options.delimiter == '\n' || options.delimiter == '\r')
    throw Error("a quote or a newline cannot separate the fields of CSV");
  return options;
}

}  // namespace

CsvReader::CsvReader(const ByteSource& file, std::vector<Feature> features, CsvOptions options)
    : RowReader(file, sensible(std::move(features)), options.from, options.piece),
      options_(sensible(std::move(options))),
      missing_values_(options_.missing),
      fields_(options_.delimiter),
      missing_(features_.size()) {}

std::optional<Corrupt> CsvReader::read_header() {
  std::optional<Corrupt> fault = read_names();
  return fault ? fault : find_columns();
}

std::optional<RowReader::FilledRows> CsvReader::fill_rows(std::size_t most) {
  locate(most);
  if (fields_.rows().empty()) return std::nullopt;
  choose_rows(most);
  fill();
  return FilledRows{rows_.size(), passed_};
}

// Reads the names of the columns from the first line that is not empty, unless the options have names.
std::optional<Corrupt> CsvReader::read_names() {
  if (options_.columns) names_ = *options_.columns;
  while (names_.empty()) {
    locate(1);
    if (fields_.rows().empty()) {
      const auto end = end_of_rows();
      const Corrupt* fault = std::get_if<Corrupt>(&end);
      if (fault == nullptr) return std::nullopt;
      file_.close(fault->fault, "");  // The rest of the file cannot be read without names.
      return *fault;
    }
    const CsvFields::Row& row = fields_.rows().front();
    for (std::size_t i = 0; i < row.fields && !is_empty(row); ++i) names_.push_back(csv_text(field(row, i)));
    file_.pass(next_line_of(row), 0);
  }
  return std::nullopt;
}

// Finds the column of each feature by its name. Returns a fault if the file has no such column, or two.
std::optional<Corrupt> CsvReader::find_columns() {
  if (names_.empty()) return std::nullopt;
  struct Place {
    std::size_t number;
    bool occurs_twice = false;
  };
  std::unordered_map<std::string_view, Place> columns;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const auto [column, is_new] = columns.try_emplace(names_[i], Place{i});
    column->second.occurs_twice = !is_new;
  }
  for (const Feature& feature : features_) {
    const auto found = columns.find(feature.name);
    if (found == columns.end())
      return file_.close(Fault::wrong_kind, "there is no column " + excerpt(feature.name) + "; " + list_names(names_));
    if (found->second.occurs_twice)
      return file_.close(Fault::wrong_kind, "column " + excerpt(feature.name) + " occurs twice");
    places_.push_back(found->second.number);
  }
  return std::nullopt;
}

// Finds the ends of at least `most` rows if the file has them. Buffers more of the file if needed, until row_bytes_max
// bytes are buffered.
void CsvReader::locate(std::size_t most) {
  using Following = CsvFields::Following;
  fields_.begin();
  Following following = Following::more;
  for (;;) {
    fields_.find(file_.bytes(), most, following);
    const bool is_enough = fields_.rows().size() >= most || file_.bytes().size() >= row_bytes_max;
    if (is_enough || fields_.misquoted() || following != Following::more) return;
    if (!file_.more()) following = file_.problem() ? Following::damage : Following::end;
  }
}

// Sets rows_ to the rows among the first `most` lines: the lines that are not empty. Stops at a row with too few or too
// many fields, and marks that row as lost.
void CsvReader::choose_rows(std::size_t most) {
  rows_.clear();
  passed_ = 0;
  for (const CsvFields::Row& row : std::span(fields_.rows()).first(std::min(most, fields_.rows().size()))) {
    const bool is_row = !is_empty(row);
    if (is_row && row.fields != names_.size())
      return lose(row, row.begin,
                  "it has " + counted(row.fields, "field") + ", and the file " + counted(names_.size(), "column"));
    if (is_row) rows_.push_back(row);
    passed_ = next_line_of(row);
  }
}

// Returns the result of next() when no complete row was found: the fault that is the reason, or the end of the file.
std::variant<TextRows, EndOfFile, Corrupt> CsvReader::end_of_rows() {
  MisquotedRow row = examine_row(file_.bytes(), options_.delimiter);
  bool is_end = false;
  while (!row.has_newline && !is_end && file_.bytes().size() < row_bytes_max) {
    is_end = !file_.more();
    row = examine_row(file_.bytes(), options_.delimiter);
  }
  if (!row.has_newline && file_.problem()) return file_.close(file_.problem()->fault, file_.problem()->message);
  if (!row.has_newline && !is_end)
    return file_.close(Fault::too_long, "the row is longer than 64 MiB, as where quotes are not closed");
  if (row.size == 0) return EndOfFile{};
  const MisquotedRow::Fault fault = row.fault.value();
  file_.lose(file_.corrupt(fault == MisquotedRow::Fault::not_closed ? Fault::truncated : Fault::bad_row, row.at,
                           "column " + name_of(row.field) + misquoting_text(fault)),
             row.size);
  return file_.lost().value();
}

// Marks `row`, which follows the rows in rows_, as lost: next() returns its fault after those rows. `at` is the offset
// of the fault in the buffered bytes.
void CsvReader::lose(const CsvFields::Row& row, std::size_t at, std::string message, Fault fault) {
  passed_ = row.begin;
  file_.lose(file_.corrupt(fault, at, std::move(message), rows_.size()), next_line_of(row) - row.begin);
}

// Returns a field as it is written, with its quotes, without the \n or \r\n at the end of the row.
std::string_view CsvReader::field(const CsvFields::Row& row, std::size_t column) const {
  const std::size_t begin = column == 0 ? row.begin : fields_.end_of(row.first + column - 1) + 1;
  std::size_t end = fields_.end_of(row.first + column);
  const std::string_view text = wire::text_of(file_.bytes());
  if (column + 1 == row.fields && end > begin && text[end - 1] == '\r') --end;
  return text.substr(begin, end - begin);
}

// True for an empty line, which is not a row.
bool CsvReader::is_empty(const CsvFields::Row& row) const {
  return row.fields == 1 && field(row, 0).empty();
}

// Returns the offset in the buffered bytes where the line after `row` begins.
std::size_t CsvReader::next_line_of(const CsvFields::Row& row) const {
  return std::min<std::size_t>(fields_.end_of(row.first + row.fields - 1) + 1, file_.bytes().size());
}

std::string CsvReader::name_of(std::size_t column) const {
  return column < names_.size() ? excerpt(names_[column]) : std::to_string(column);
}

std::variant<std::vector<std::string>, Corrupt> csv_columns(const ByteSource& file, const CsvOptions& options) {
  CsvReader reader(file, {}, options);
  const auto next = reader.next(1);
  const Corrupt* corrupt = std::get_if<Corrupt>(&next);
  std::vector<std::string> names = reader.names();
  if (corrupt != nullptr && names.empty()) return *corrupt;
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return reader.names();
  return Corrupt{Fault::wrong_kind, file.name(), 0, 0, 0, "column " + excerpt(*twice) + " occurs twice", false, "row"};
}

}  // namespace carrack::data
