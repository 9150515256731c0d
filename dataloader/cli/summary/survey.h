// The result of reading the files of a `carrack data` command: what each file holds, and statistics of all records.
// survey_files() makes it; inspect_text(), stats_text(), survey_json() and verify() format it. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "dataloader/cli/summary/file_survey.h"
#include "dataloader/cli/summary/summary.h"
#include "dataloader/records/column_names.h"

namespace carrack::data::cli {

struct Survey {
  // The files that could be read. Only the faults of the first files are listed, up to 100,000 in all; the faults of
  // the other files are counted in damaged_spans.
  std::vector<FileSurvey> files;
  bool all_read = true;  // False if a file could not be read, which survey_files() has reported.
  // The names of the columns of joined features (convert --join), if they are the same in all files with records.
  ColumnNames columns = {};
  Summary summary;          // the summary of all records that were read; empty if SurveyOptions::summarize was false
  std::uint64_t bytes = 0;  // the number of bytes that were read from storage
  double seconds = 0;       // the duration of reading

  // The sums over `files`; size() is the size of the files in bytes.
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
