#include "dataloader/cli/summary/survey.h"

#include <algorithm>

namespace carrack::data::cli {
namespace {

std::uint64_t sum(const std::vector<FileSurvey>& files, std::uint64_t FileSurvey::*member) {
  std::uint64_t total = 0;
  for (const FileSurvey& file : files) total += file.*member;
  return total;
}

}  // namespace

std::uint64_t Survey::records() const {
  return sum(files, &FileSurvey::records);
}

std::uint64_t Survey::size() const {
  return sum(files, &FileSurvey::bytes);
}

std::uint64_t Survey::damaged_spans() const {
  return sum(files, &FileSurvey::damaged_spans);
}

std::uint64_t Survey::lost_bytes() const {
  return sum(files, &FileSurvey::lost_bytes);
}

bool Survey::complete() const {
  return std::ranges::all_of(files, &FileSurvey::complete);
}

}  // namespace carrack::data::cli
