// The files that a command reads: finds them, tells their kind by their names, and opens those that hold no TFRecords
// as a data set of rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataloader/cli/request.h"
#include "dataloader/cli/summary/input_kind.h"
#include "dataloader/pipeline/dataset.h"
#include "dataloader/records/column_names.h"
#include "dataloader/storage/storages.h"

namespace carrack::data::cli {

// Resolves names and patterns, in the order in which they were typed; the matches of a pattern are sorted. Each file
// appears once. An index that a pattern finds beside its file is left out. Throws Refused, with the name as it was
// typed, for a name or pattern that matches no file.
std::vector<Listed> list_files(const Storages& storages, const std::vector<std::string>& names);

std::vector<std::string> urls_of(const std::vector<Listed>& files);
// Of all files together.
std::uint64_t bytes_of(const std::vector<Listed>& files);
bool has_compressed(const std::vector<Listed>& files, const Storages& storages);
// How many bytes of the files have been read once all rows have; 0 if some are compressed, as they count inflated.
std::uint64_t bytes_of_rows(const std::vector<Listed>& files, const Storages& storages);

struct Inputs {
  InputKind kind = InputKind::records;
  std::vector<Listed> files = {};  // empty for a program
  // Sentences about the columns: the type of each and the row that decided, and what fills the gaps of which.
  std::vector<std::string> notes = {};
  ColumnNames columns = {};  // of joined features
  CsvOptions csv = {};       // of CSV: how its files are read
  // Unset for TFRecords. The columns of CSV and JSON lines are lists, which are empty where a row has no value. A
  // program's rows have the one column "record".
  std::optional<Dataset> rows = {};
};

// Reads the first rows of CSV and JSON lines to infer the types of their columns.
// Throws Refused if a name matches no file or if the files are of several kinds, and Error for a file that does not
// begin as its kind does.
Inputs open_inputs(const Request& request, const Storages& storages);

}  // namespace carrack::data::cli
