// What bench has measured, for a person and for a machine. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataloader/pipeline/report.h"

namespace carrack::data::cli {

struct Trial {
  std::string name;
  double opened_seconds = 0;
  double seconds = 0;  // that it was read for
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  std::uint64_t rows_in_files = 0;  // 0 where that is not known
  std::uint64_t lost = 0;           // rows that cannot be used, of one time through, where that is known
  Measured measured = {};
  std::string timeline = {};
};

// A line for each, and what the last one took, with what would help.
std::string trials_text(const std::vector<Trial>& trials);
// One object on one line.
std::string trials_json(const std::vector<Trial>& trials);

}  // namespace carrack::data::cli
