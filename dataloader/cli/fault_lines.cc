#include "dataloader/cli/fault_lines.h"

#include <algorithm>

#include "dataloader/cli/summary/descriptions.h"

namespace carrack::data::cli {

std::string FaultLines::describe(const Corrupt& fault) {
  return describe_fault(fault, line_of(fault));
}

std::optional<std::uint64_t> FaultLines::line_of(const Corrupt& fault) {
  const bool is_text = inputs_.kind == InputKind::csv || inputs_.kind == InputKind::json_lines;
  const auto listed = std::ranges::find(inputs_.files, fault.file, &Listed::url);
  if (!is_text || listed == inputs_.files.end()) return std::nullopt;
  // lines_ counts lines from front to back. A later row of the same file continues the count. Any other row starts it
  // again at the beginning of a file.
  const bool goes_on = lines_ && file_->name() == fault.file && fault.record >= row_;
  if (!goes_on) {
    lines_.reset();
    file_.emplace(storages_.for_url(fault.file), fault.file, listed->stat);
    lines_ = inputs_.kind == InputKind::csv ? lines_of_csv(*file_, inputs_.csv) : lines_of_json_lines(*file_);
  }
  row_ = fault.record;
  return lines_->line_of(row_);
}

}  // namespace carrack::data::cli
