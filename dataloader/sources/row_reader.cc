#include "dataloader/sources/row_reader.h"

#include <algorithm>
#include <utility>

#include "dataloader/records/columns.h"

namespace carrack::data {

RowReader::RowReader(const ByteSource& file, std::vector<Feature> features, TextPlace from, std::size_t piece)
    : features_(std::move(features)), file_(file, piece), from_(from) {
  for (const Feature& feature : features_) columns_.push_back(column_of(feature, 0));
}

std::optional<Corrupt> RowReader::begin() {
  if (std::exchange(has_begun_, true)) return std::nullopt;
  std::optional<Corrupt> fault = file_.begin();
  if (!fault) fault = read_header();
  return fault ? fault : file_.go_to(from_);
}

std::variant<TextRows, EndOfFile, Corrupt> RowReader::next(std::size_t most) {
  if (std::optional<Corrupt> fault = begin()) return *std::move(fault);
  for (;;) {
    if (std::optional<Corrupt> lost = file_.lost()) return *std::move(lost);
    const std::optional<FilledRows> rows = fill_rows(file_.rows_to_parse(std::max<std::size_t>(most, 1)));
    if (!rows) return end_of_rows();
    const std::uint64_t first = file_.place().row;
    file_.pass(rows->bytes, rows->count);
    if (rows->count > 0) return TextRows{first, rows->count, columns_};
  }
}

}  // namespace carrack::data
