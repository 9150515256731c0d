#include "dataloader/cli/summary/survey.h"

#include <algorithm>

namespace carrack::data::cli {

std::uint64_t Survey::total(std::uint64_t FileSurvey::*member) const {
  std::uint64_t total = 0;
  for (const FileSurvey& file : files) total += file.*member;
  return total;
}

bool Survey::complete() const {
  return std::ranges::all_of(files, &FileSurvey::complete);
}

}  // namespace carrack::data::cli
