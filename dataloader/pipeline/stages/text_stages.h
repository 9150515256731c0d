// The stages of Dataset::csv() and json_lines(): sources of rows of text files, which are parsed into columns.
// record_stages.h explains the members that all stages have.
#pragma once

#include <string>
#include <vector>

#include "dataloader/pipeline/stages/canonical.h"
#include "dataloader/pipeline/stages/opened.h"
#include "dataloader/pipeline/stages/words.h"
#include "dataloader/sources/csv_reader.h"
#include "dataloader/sources/json_lines_reader.h"

namespace carrack::data::stages {

// The rows of CSV files, with a column for each feature. Plain files are a sequence: opening reads them completely to
// find where rows begin. If any file is compressed, the rows of all files are a stream. Opening throws an Error for a
// file whose columns cannot be read or are not those of the others.
struct Csv {
  std::vector<std::string> patterns;
  std::vector<Feature> features;
  CsvOptions options = {};

  static constexpr const char* kind = "csv";
  std::string canonical() const;
  std::string file_options() const;  // the part of the description before the features
  std::string description() const { return file_options() + ": " + describe(features); }
  Opened open(const OpenContext& context) const;
};

// The rows of files with one JSON object in each line, with a column for each feature. As for Csv, plain files are a
// sequence, and all files are a stream if any is compressed.
struct JsonLines {
  std::vector<std::string> patterns;
  std::vector<Feature> features;
  JsonLinesOptions options = {};

  static constexpr const char* kind = "json lines";
  std::string canonical() const;
  std::string file_options() const;
  std::string description() const { return file_options() + ": " + describe(features); }
  Opened open(const OpenContext& context) const;
};

}  // namespace carrack::data::stages
