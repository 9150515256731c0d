#include "trainer/loop/data/bad_record.h"

#include <optional>
#include <vector>

#include "dataloader/error.h"
#include "dataloader/indexes/column_names_file.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

// Returns the error with Blame::user that `compute` throws for the rows; nullopt if it throws none. Other errors pass
// through.
std::optional<Error> problem_with(data::Range rows, const std::function<void(data::Range)>& compute) {
  try {
    compute(rows);
  } catch (const Error& error) {
    if (error.blame() != Blame::user) throw;
    return error;
  }
  return std::nullopt;
}

// Returns the names of the feature's columns in the file of this row; empty if it has none, or they cannot be read.
std::vector<std::string> column_names(const data::Rows& rows, std::size_t row, const std::string& feature,
                                      const data::Storages& storages) {
  if (rows.origins.empty()) return {};
  const std::string& file = *rows.origins[row].file;
  try {
    const data::ColumnNames names = data::read_column_names(storages.for_url(file), file);
    const auto found = names.find(feature);
    return found == names.end() ? std::vector<std::string>() : found->second;
  } catch (const data::Error&) {
    return {};
  }
}

}  // namespace

std::string column_text(const data::Rows& rows, std::size_t row, const std::string& feature, std::size_t column,
                        std::size_t columns, const data::Storages& storages) {
  const std::vector<std::string> names = column_names(rows, row, feature, storages);
  const std::string place = " in column " + std::to_string(column);
  if (names.size() == columns) return place + " (" + names[column] + ")";
  return columns == 1 ? "" : place;
}

std::string name_of_record(const data::Batch& batch, std::size_t row) {
  if (batch.rows.origins.empty()) return "record " + std::to_string(batch.first_row + row) + " of the batch";
  const data::Origin& origin = batch.rows.origins[row];
  return *origin.file + ": record " + std::to_string(origin.record) + " at byte " + std::to_string(origin.offset);
}

data::Range find_bad_row(data::Range rows, const std::function<bool(data::Range)>& is_good) {
  while (rows.size() > 1) {
    const data::Range half{rows.begin, rows.begin + rows.size() / 2};
    rows = is_good(half) ? data::Range{half.end, rows.end} : half;
  }
  // Several rows may be bad only together. Then the last row is good by itself, and there is no single bad row.
  return rows.size() == 0 || is_good(rows) ? data::Range{rows.begin, rows.begin} : rows;
}

void compute_naming_record(const data::Batch& batch, data::Range rows,
                           const std::function<void(data::Range)>& compute) {
  const std::optional<Error> of_all = problem_with(rows, compute);
  if (!of_all) return;
  const data::Range bad = find_bad_row(rows, [&](data::Range part) { return !problem_with(part, compute); });
  const std::optional<Error> of_one = bad.size() == 0 ? std::nullopt : problem_with(bad, compute);
  if (!of_one) throw *of_all;
  throw Error(Blame::user, name_of_record(batch, bad.begin) + ": " + of_one->what());
}

}  // namespace carrack::train
