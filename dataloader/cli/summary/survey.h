// What reading a set of files found: each file, and a summary of all their records. The reports of `carrack data` are
// made from it; survey_files.h makes it. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "dataloader/cli/summary/file_survey.h"
#include "dataloader/cli/summary/summary.h"
#include "dataloader/records/column_names.h"

namespace carrack::data::cli {

struct Survey {
  // Those that could be read. Once they have more than 100,000 faults in all, later ones are counted, not listed.
  std::vector<FileSurvey> files;
  bool all_read = true;      // False if a file could not be read; it is then named on standard error.
  ColumnNames columns = {};  // the names of the values of features, as far as all files with records have the same
  Summary summary;           // of all records that were read; empty unless a summary was requested
  std::uint64_t bytes = 0;   // read from storage
  double seconds = 0;        // how long reading took

  // Totals over `files`.
  std::uint64_t records() const { return total(&FileSurvey::records); }
  std::uint64_t size() const { return total(&FileSurvey::bytes); }
  std::uint64_t damaged_spans() const { return total(&FileSurvey::damaged_spans); }
  std::uint64_t lost_bytes() const { return total(&FileSurvey::lost_bytes); }
  // True if each of `files` was read to its end. Does not count files that could not be read: see all_read.
  bool complete() const;

 private:
  std::uint64_t total(std::uint64_t FileSurvey::*member) const;
};

}  // namespace carrack::data::cli
