// The result of reading a set of files: each file, and a summary of all records. survey_files() makes it, and the
// reports of `carrack data` are made from it. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "dataloader/cli/summary/file_survey.h"
#include "dataloader/cli/summary/summary.h"
#include "dataloader/records/column_names.h"

namespace carrack::data::cli {

struct Survey {
  // The files that could be read. The faults of the first files are listed, up to 100,000 in all; others are only
  // counted.
  std::vector<FileSurvey> files;
  bool all_read = true;      // False: a file could not be read, which was reported.
  ColumnNames columns = {};  // the names of the values of joined features, if all files with records have the same
  Summary summary;           // of all records that were read; empty unless a summary was requested
  std::uint64_t bytes = 0;   // read from storage
  double seconds = 0;        // the time that reading took

  // Totals of `files`; size() is in bytes.
  std::uint64_t records() const { return total(&FileSurvey::records); }
  std::uint64_t size() const { return total(&FileSurvey::bytes); }
  std::uint64_t damaged_spans() const { return total(&FileSurvey::damaged_spans); }
  std::uint64_t lost_bytes() const { return total(&FileSurvey::lost_bytes); }
  // True if each of `files` was read to its end. Files that could not be read make no difference: see all_read.
  bool complete() const;

 private:
  std::uint64_t total(std::uint64_t FileSurvey::*member) const;
};

}  // namespace carrack::data::cli
