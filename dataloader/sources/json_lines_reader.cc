#include "dataloader/sources/json_lines_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/records/columns.h"
#include "dataloader/records/example_problems.h"

namespace carrack::data {
namespace {

std::vector<Feature> sensible(std::vector<Feature> features) {
  check_features(features);
  for (const Feature& asked : features) {
    if (asked.part != Part::features || asked.shape == Shape::lists)
      throw Error(quoted(asked) + " is asked for as lists of lists, and a member of JSON lines holds one list");
    if (asked.raw) throw Error(quoted(asked) + " is asked for as raw numbers, and JSON lines have them as text");
  }
  return features;
}

}  // namespace

JsonLinesReader::JsonLinesReader(const ByteSource& file, std::vector<Feature> features, JsonLinesOptions options)
    : features_(sensible(std::move(features))), options_(options), file_(file, options.piece) {
  for (const Feature& feature : features_) {
    places_.emplace(feature.name, columns_.size());
    columns_.push_back(column_of(feature, 0));
  }
}

std::variant<TextRows, EndOfFile, Corrupt> JsonLinesReader::next(std::size_t most) {
  most = std::max<std::size_t>(most, 1);
  if (std::optional<Corrupt> fault = begin()) return *std::move(fault);
  for (;;) {
    if (std::optional<Corrupt> lost = file_.lost()) return *std::move(lost);
    locate(file_.reach(most));
    if (ends_.empty()) return end_of_rows();
    fill();
    const std::uint64_t first = file_.place().row;
    file_.pass(passed_, rows_);
    if (rows_ > 0) return TextRows{first, rows_, columns_};
  }
}

std::optional<Corrupt> JsonLinesReader::begin() {
  if (std::exchange(has_begun_, true)) return std::nullopt;
  std::optional<Corrupt> fault = file_.begin();
  return fault ? fault : file_.go_to(options_.from);
}

// Finds where lines end, up to `most` of them, as far as what may be held of the file shows.
void JsonLinesReader::locate(std::size_t most) {
  ends_.clear();
  std::size_t at = 0;
  for (;;) {
    const std::span<const std::byte> bytes = file_.bytes();
    while (ends_.size() < most && at < bytes.size()) {
      const void* const found = std::memchr(bytes.data() + at, '\n', bytes.size() - at);
      at = found == nullptr ? bytes.size()
                            : static_cast<std::size_t>(static_cast<const std::byte*>(found) - bytes.data()) + 1;
      if (found != nullptr) ends_.push_back(at);
    }
    if (ends_.size() >= most || bytes.size() >= longest) return;
    if (file_.more()) continue;
    const bool is_last = !file_.problem() && at > (ends_.empty() ? 0 : ends_.back());
    if (is_last) ends_.push_back(at);
    return;
  }
}

std::variant<TextRows, EndOfFile, Corrupt> JsonLinesReader::end_of_rows() {
  if (file_.problem()) return file_.close(file_.problem()->fault, file_.problem()->message);
  if (file_.bytes().empty()) return EndOfFile{};
  return file_.close(data::Fault::too_long, "the line is longer than 64 MiB");
}

// The columns, from the lines that were found, up to one that is no row.
void JsonLinesReader::fill() {
  rows_ = passed_ = 0;
  make_room(ends_.size());
  for (const std::size_t end : ends_) {
    const std::span<std::byte> line = file_.bytes().subspan(passed_, end - passed_);
    const std::size_t size = line.size() - (line.back() == std::byte{'\n'} ? 1 : 0);
    const std::span<char> text(reinterpret_cast<char*>(line.data()), size);
    if (!JsonScanner(text).at_end()) {
      if (std::optional<Fault> fault = features_.empty() ? std::nullopt : parse(text, rows_)) {
        file_.lose(file_.corrupt(fault->kind, passed_ + fault->at, std::move(fault->message), rows_), line.size());
        break;
      }
      ++rows_;
    }
    passed_ = end;
  }
  cut(rows_);
  for (std::size_t i = 0; i < features_.size(); ++i) pad(features_[i], columns_[i]);
}

void JsonLinesReader::make_room(std::size_t rows) {
  for (std::size_t i = 0; i < features_.size(); ++i) {
    Column& column = columns_[i];
    const bool is_item = features_[i].shape == Shape::item;
    std::visit([&](auto& values) { values.resize(is_item ? rows * features_[i].count : 0, {}); }, column.values);
    if (!is_item) column.splits[0] = {0};
    column.longest.reset();
  }
}

// What the lines behind these have left.
void JsonLinesReader::cut(std::size_t rows) {
  for (std::size_t i = 0; i < features_.size(); ++i) {
    Column& column = columns_[i];
    const bool is_item = features_[i].shape == Shape::item;
    if (!is_item) column.splits[0].resize(rows + 1);
    const std::size_t items = is_item ? rows : column.splits[0].back();
    std::visit([&](auto& values) { values.resize(items * features_[i].count, {}); }, column.values);
  }
}

}  // namespace carrack::data
