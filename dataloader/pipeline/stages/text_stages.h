// Rows of text files, CSV and JSON lines, parsed into columns. See record_stages.h for what the members of a stage are.
#pragma once

#include <string>
#include <vector>

#include "dataloader/pipeline/stages/canonical.h"
#include "dataloader/pipeline/stages/opened.h"
#include "dataloader/pipeline/stages/words.h"
#include "dataloader/sources/csv_reader.h"
#include "dataloader/sources/json_lines_reader.h"

namespace carrack::data::stages {

// A column for each feature. Plain files are a sequence: opening them reads them once to find where rows begin. If any
// file is compressed, all are a stream.
struct Csv {
  std::vector<std::string> patterns;
  std::vector<Feature> features;
  CsvOptions options = {};

  static constexpr const char* kind = "csv";
  std::string canonical() const;
  std::string file_options() const;  // all but the features, as in the description
  std::string description() const { return file_options() + ": " + describe(features); }
  Opened open(const OpenContext& context) const;
};

// Likewise.
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
