// The files that a command reads: finds them, recognizes their kind by their names, and opens files other than
// TFRecords as a data set of rows.
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
// appears once. If a pattern matches a file and also its index or its file of column names, it leaves these out. Throws
// Refused, with the name as it was typed, for a name or pattern that matches no file, and for a folder.
std::vector<Listed> list_files(const Storages& storages, const std::vector<std::string>& names);

std::vector<std::string> urls_of(const std::vector<Listed>& files);
// Returns the size of all files together, as they are stored.
std::uint64_t bytes_of(const std::vector<Listed>& files);
// Returns whether any file is compressed. Reads the first bytes of the files to find out.
bool has_compressed(const std::vector<Listed>& files, const Storages& storages);
// Returns the size of all rows for a progress bar, which counts inflated bytes: bytes_of(), or 0 (unknown) if a file is
// compressed. Reads the first bytes of the files.
std::uint64_t bytes_of_rows(const std::vector<Listed>& files, const Storages& storages);

struct Inputs {
  InputKind kind = InputKind::records;
  std::vector<Listed> files = {};  // empty for a program
  // Sentences for the user about the columns: why they have their types, and what --fill has filled in.
  std::vector<std::string> notes = {};
  ColumnNames columns = {};  // for each feature that --join makes, the names of its columns
  CsvOptions csv = {};       // how the files are read if `kind` is csv
  // The rows of the files; nullopt for TFRecords. A column of CSV or JSON lines is a list, which is empty where a row
  // has no value, unless --fill or --join makes it an item. The rows of a program have one column, "record".
  std::optional<Dataset> rows = {};
};

// Finds and opens the inputs of a command. `request` must outlive the result, because the values of --fill point into
// it. Infers the types of the columns of CSV and JSON lines from the first rows of the first file that is not empty;
// --fill may read all rows, see apply_fills(). Throws Refused if a name matches no file, the files are of several
// kinds, or an option does not apply to them. Throws Error for a file whose beginning cannot be read as its kind, and
// for members of JSON lines that mix types, unless --types has their type.
Inputs open_inputs(const Request& request, const Storages& storages);

}  // namespace carrack::data::cli
