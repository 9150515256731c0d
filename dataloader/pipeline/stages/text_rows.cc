#include "dataloader/pipeline/stages/text_rows.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "dataloader/crc32c.h"
#include "dataloader/error.h"
#include "dataloader/pipeline/rows/row_functions.h"
#include "dataloader/records/columns.h"
#include "dataloader/sources/memory_bytes.h"

namespace carrack::data {
namespace {

// Padded features become lists, because only a batch knows its longest list.
std::vector<Feature> unpadded(std::vector<Feature> features) {
  for (Feature& feature : features)
    if (feature.shape == Shape::padded) feature.shape = Shape::list;
  return features;
}

// Returns the rows that were read, copied to memory of their own.
Rows rows_of(const std::vector<Feature>& features, const TextRows& read) {
  Rows rows{.count = read.count};
  for (std::size_t i = 0; i < features.size(); ++i) rows.columns.push_back(named_column(features[i], read.columns[i]));
  return with_own_memory(std::move(rows));
}

// Parses the texts of a chunk of rows, one range of rows at a time, and collects their columns.
class ChunkParser {
 public:
  ChunkParser(const OpenText& open, const std::vector<Feature>& features, const Rows& rows)
      : open_(open),
        features_(features),
        rows_(rows),
        texts_(std::get<LargeVector<std::string_view>>(rows.column("record").values)) {
    for (const Feature& feature : features) parsed_.columns.push_back(named_column(feature, column_of(feature, 0)));
  }

  void parse(Range range) {
    // The text begins with an empty line, so that no row is at its beginning, where a byte order mark would be skipped.
    std::string text = "\n";
    std::vector<std::size_t> begins;
    for (std::size_t row = range.begin; row < range.end; ++row) {
      begins.push_back(text.size());
      text += texts_[row];
      if (!texts_[row].ends_with('\n')) text += '\n';
    }
    const MemoryByteSource bytes("", std::as_bytes(std::span(text)));
    const auto reader = open_(bytes, features_, {});
    std::size_t seen = 0;
    for (auto next = reader->next(begins.size()); !std::holds_alternative<EndOfFile>(next);
         next = reader->next(begins.size())) {
      if (Corrupt* corrupt = std::get_if<Corrupt>(&next)) {
        ++seen;
        bad_.push_back(bad_row_in_file(range.begin + corrupt->record, begins[corrupt->record], reader->place().offset,
                                       std::move(*corrupt)));
        continue;
      }
      Rows read = rows_of(features_, std::get<TextRows>(next));
      seen += read.count;
      if (parsed_.count == 0) {
        parsed_ = std::move(read);
      } else {
        append(parsed_, read, {0, read.count});
      }
    }
    if (seen != begins.size())
      throw Error(*rows_.origins[range.begin].file + ": has changed since it was opened; open it again");
  }

  void finish(Rows& rows) {
    drop_bad_rows(rows, std::move(bad_));
    rows.columns = std::move(parsed_.columns);
    rows.memory = std::move(parsed_.memory);
  }

 private:
  // Replaces the position of a fault in the parsed text by its position in the file. In the text the row begins at
  // `begin`, and the next row at `end`.
  BadRow bad_row_in_file(std::size_t row, std::size_t begin, std::size_t end, Corrupt corrupt) const {
    const Origin& origin = rows_.origins[row];
    corrupt.file = *origin.file;
    corrupt.record = origin.record;
    corrupt.offset += origin.offset - begin;
    if (end > begin + texts_[row].size()) --corrupt.lost;  // does not count the newline that parse() has added
    return {row, std::move(corrupt)};
  }

  const OpenText& open_;
  const std::vector<Feature>& features_;
  const Rows& rows_;
  const LargeVector<std::string_view>& texts_;
  Rows parsed_;
  std::vector<BadRow> bad_;
};

bool has_open_quotes(std::string_view text) {
  return std::ranges::count(text, '"') % 2 != 0;
}

// The rows of text files, read from front to back. For compressed files, which cannot be read at any offset.
class TextStream final : public Stream {
 public:
  TextStream(std::vector<std::shared_ptr<const ByteSource>> files, OpenText open, std::vector<Feature> features)
      : files_(std::move(files)), open_(std::move(open)), features_(std::move(features)) {}

  std::optional<Rows> next() override {
    constexpr std::size_t rows_at_once = 1024;
    for (; file_ < files_.size(); ++file_, place_ = {}, reader_.reset()) {
      if (!reader_) reader_ = open_(*files_[file_], features_, place_);
      auto next = reader_->next(rows_at_once);
      Corrupt* const corrupt = std::get_if<Corrupt>(&next);
      const std::uint64_t passed = reader_->place().offset - place_.offset;
      // If a fault ends the file, place() does not move past the lost bytes, so adds them here.
      passed_bytes_ += corrupt != nullptr ? std::max(passed, corrupt->lost) : passed;
      place_ = reader_->place();
      if (std::holds_alternative<EndOfFile>(next)) continue;
      if (corrupt != nullptr && corrupt->fault == Fault::changed) throw Error(text(*corrupt));
      if (corrupt != nullptr) return Rows{.lost = {{0, std::move(*corrupt)}}};
      return rows_of(features_, std::get<TextRows>(next));
    }
    return std::nullopt;
  }
  std::uint64_t passed_bytes() const override { return passed_bytes_; }
  void save(StateWriter& state) const override {
    state.number(file_);
    state.number(place_.offset);
    state.number(place_.row);
  }
  void restore(StateReader& state) override {
    file_ = state.number();
    place_.offset = state.number();
    place_.row = state.number();
    reader_.reset();
  }

 private:
  const std::vector<std::shared_ptr<const ByteSource>> files_;
  const OpenText open_;
  const std::vector<Feature> features_;
  std::size_t file_ = 0;
  TextPlace place_;
  std::uint64_t passed_bytes_ = 0;
  std::unique_ptr<RowReader> reader_;  // reads files_[file_]; next() opens it when it is nullptr
};

}  // namespace

std::variant<Index, Corrupt> row_index(const ByteSource& file, const OpenText& open) {
  const std::unique_ptr<RowReader> reader = open(file, {}, {});
  if (std::optional<Corrupt> fault = reader->begin()) return *std::move(fault);
  std::vector<std::uint64_t> offsets;
  for (;;) {
    const TextPlace place = reader->place();
    auto next = reader->next(1);
    if (std::holds_alternative<EndOfFile>(next)) break;
    Corrupt* const corrupt = std::get_if<Corrupt>(&next);
    // A bad row moves the reader to the next row, and gets an index entry like a good row. If the reader has not moved,
    // no further row can be found.
    const bool ends_the_file = corrupt != nullptr && reader->place().row == place.row;
    if (ends_the_file) return std::move(*corrupt);
    offsets.push_back(place.offset);
  }
  const std::uint32_t contents = crc32c(std::as_bytes(std::span(offsets)));
  return Index(file.stat(), offsets, contents);
}

RowsFunction parse_text(OpenText open, std::vector<Feature> features, bool quotes_span_rows) {
  return [open = std::move(open), features = unpadded(std::move(features)), quotes_span_rows](Rows& rows) {
    const auto& texts = std::get<LargeVector<std::string_view>>(rows.column("record").values);
    ChunkParser parser(open, features, rows);
    for (std::size_t begin = 0; begin < rows.count;) {
      std::size_t end = begin + 1;
      // A row with an open quote is parsed separately: the parser would take the next row for a part of it.
      const auto runs_on = [&](std::size_t row) { return quotes_span_rows && has_open_quotes(texts[row]); };
      if (!runs_on(begin))
        while (end < rows.count && !runs_on(end)) ++end;
      parser.parse({begin, end});
      begin = end;
    }
    parser.finish(rows);
  };
}

StreamPtr text_stream(std::vector<std::shared_ptr<const ByteSource>> files, OpenText open,
                      std::vector<Feature> features) {
  return std::make_unique<TextStream>(std::move(files), std::move(open), unpadded(std::move(features)));
}

}  // namespace carrack::data
