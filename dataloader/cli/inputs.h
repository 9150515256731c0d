// Finds the FILES of a `carrack data` command, recognizes their kind by their names, and opens CSV, JSON lines, numpy
// arrays and programs as a data set of rows. TFRecord files are only listed: the commands read them themselves.
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

// Returns the URL, size and version of each file that `names` name. These are paths, URLs, and patterns such as
// gs://b/x-*.tfrecord, as the user typed them. The result is in their order; the matches of a pattern are sorted. A
// file that several of them name appears once, also if its path is spelled differently, as in x and ./x. If a pattern
// matches a file and also its index or its file of column names, it leaves these out. Throws Refused, with the name as
// it was typed, for a name or pattern that matches no file, and for a folder.
std::vector<Listed> list_files(const Storages& storages, const std::vector<std::string>& names);

std::vector<std::string> urls_of(const std::vector<Listed>& files);
// Returns the size of all files together, as they are stored.
std::uint64_t bytes_of(const std::vector<Listed>& files);
// Returns whether any file is compressed with GZIP or ZLIB. Reads the first bytes of the files to find out.
bool has_compressed(const std::vector<Listed>& files, const Storages& storages);
// Returns the total for a progress bar that counts inflated bytes: bytes_of(), or 0 (unknown) if any file is
// compressed. Reads the first bytes of the files.
std::uint64_t bytes_of_rows(const std::vector<Listed>& files, const Storages& storages);

// The opened inputs of one command; all are of the same kind.
struct Inputs {
  InputKind kind = InputKind::records;
  std::vector<Listed> files = {};  // empty for a program
  // Sentences for the user about the columns: why they have their types, and what --fill has filled in.
  std::vector<std::string> notes = {};
  ColumnNames columns = {};  // for each feature that --join makes, the names of its columns
  CsvOptions csv = {};       // how the files are read if `kind` is csv
  // The rows of the files or of the program; nullopt for TFRecords. A column of CSV or JSON lines is a list, which is
  // empty where a row has no value. But a column of --fill has one value in each row, and a feature of --join one for
  // each of its columns. The rows of a program have one column, "record".
  std::optional<Dataset> rows = {};
};

// Finds and opens the files or the program of request.inputs. `request` must outlive the result, because the values of
// --fill point into it. Infers the types of the columns of CSV and JSON lines from the first 10,000 rows of the first
// file that is not empty; --fill may read all rows, see apply_fills(). Throws Refused if a name matches no file, the
// files are of several kinds, or an option does not apply to them. Throws Error if the first rows of this file cannot
// be read, or if a member of its JSON lines mixes types and is not in --types. Does not open TFRecords and arrays.
Inputs open_inputs(const Request& request, const Storages& storages);

}  // namespace carrack::data::cli
