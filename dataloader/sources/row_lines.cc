#include "dataloader/sources/row_lines.h"

#include <algorithm>
#include <span>
#include <utility>
#include <variant>

#include "dataloader/sources/json_lines_reader.h"

namespace carrack::data {

RowLines::RowLines(const ByteSource& file, std::unique_ptr<RowReader> reader, std::string_view blanks)
    : reader_(std::move(reader)), blanks_(blanks), file_(file, std::size_t{256} << 10) {
  reader_->begin();  // Faults are ignored here: other readers of the file report them.
  file_.begin();
}

std::uint64_t RowLines::line_of(std::uint64_t row) {
  while (reader_->place().row < row)
    if (std::holds_alternative<EndOfFile>(reader_->next(row - reader_->place().row))) break;
  pass_to(reader_->place().offset);
  pass_empty_lines();
  return line_;
}

void RowLines::pass_to(std::uint64_t offset) {
  while (file_.place().offset < offset) {
    const std::span<const std::byte> bytes = file_.bytes();
    const std::size_t size = std::min<std::uint64_t>(offset - file_.place().offset, bytes.size());
    line_ += static_cast<std::uint64_t>(std::ranges::count(bytes.first(size), std::byte{'\n'}));
    file_.pass(size, 0);
    if (file_.place().offset < offset && !file_.more()) return;
  }
}

// Skips lines that are not rows, because the reader's place may be before such lines, and the row begins after them.
void RowLines::pass_empty_lines() {
  const auto is_blank = [&](char c) { return blanks_.find(c) != blanks_.npos; };
  for (;;) {
    file_.find_lines(1, end_);
    if (end_.empty() || !std::ranges::all_of(file_.line(0, end_[0]), is_blank)) return;
    file_.pass(end_[0], 0);
    ++line_;
  }
}

std::unique_ptr<RowLines> lines_of_csv(const ByteSource& file, const CsvOptions& options) {
  return std::make_unique<RowLines>(file, std::make_unique<CsvReader>(file, std::vector<Feature>(), options), "\r");
}

std::unique_ptr<RowLines> lines_of_json_lines(const ByteSource& file) {
  return std::make_unique<RowLines>(file, std::make_unique<JsonLinesReader>(file, std::vector<Feature>()), " \t\r");
}

}  // namespace carrack::data
