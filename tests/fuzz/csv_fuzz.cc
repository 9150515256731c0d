// Any bytes as CSV: rows or faults that lie in the file one behind the other, the same whatever the sizes of pieces and
// calls, from any row on, and as a look at each byte has them.
#include <string>

#include "dataloader/sources/csv_reader.h"
#include "dataloader/sources/csv_texts.h"
#include "dataloader/sources/number_text.h"
#include "tests/dataloader/sources/rows.h"
#include "tests/fuzz/must.h"

namespace carrack::data {
namespace {

using fuzz::must;

const std::vector<Feature> asked = {
    {.name = "a", .dtype = Dtype::bytes, .default_values = LargeVector<std::string_view>{"none"}},
    {.name = "b", .dtype = Dtype::float32, .default_values = LargeVector<float>{7}},
    {.name = "c", .dtype = Dtype::int64}};

// Of a row of three fields without a fault in its quotes; nothing where one is not what is asked for.
std::optional<std::string> row_of(std::string_view row) {
  std::vector<std::string> fields(1);
  bool is_inside = false;
  for (const char c : row) {
    if (c == '"') is_inside = !is_inside;
    if (c == ',' && !is_inside)
      fields.emplace_back();
    else
      fields.back() += c;
  }
  if (fields.back().ends_with('\r')) fields.back().pop_back();
  if (fields.size() != 3) return std::nullopt;
  const std::string b = csv_text(fields[1]), c = csv_text(fields[2]);
  const std::optional<float> number = b.empty() ? 7 : float_in(b);
  if (!number || !int_in(c)) return std::nullopt;
  return printed(std::string_view(fields[0].empty() ? "none" : csv_text(fields[0]))) + " | " + printed(*number) +
         " | " + printed(*int_in(c));
}

Lines by_byte(std::string_view text) {
  Lines lines;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  while (!text.empty()) {
    const MisquotedRow row = examine_row(wire::bytes_of(text), ',');
    const std::string_view content = text.substr(0, row.size - (row.has_newline ? 1 : 0));
    text.remove_prefix(row.size);
    if (content.empty() || content == "\r") continue;
    const std::optional<std::string> values = row.fault ? std::nullopt : row_of(content);
    lines.push_back(std::to_string(lines.size()) + (values ? ": " + *values : " is none"));
  }
  return lines;
}

void check_given_names(const Bytes& bytes) {
  const MemorySource file(bytes, "x.csv");
  const CsvOptions options{.columns = {{"a", "b", "c"}}};
  CsvReader reader(file, asked, options);
  const Lines lines = read_all(reader, 100);
  for (const auto& [piece, most] : {std::pair<std::size_t, std::size_t>{1, 1}, {100, 3}, {1, 1000}}) {
    CsvOptions others = options;
    others.piece = piece;
    CsvReader other(file, asked, others);
    must(read_all(other, most) == lines, "pieces and calls of any size give the same");
  }
  const std::string_view text = wire::text_of(bytes);
  const bool is_other = text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff") ||
                        reader.resume() != Seek::at_once || text.starts_with("version https:") ||
                        text.starts_with("\x1f\x8b");
  if (is_other) return;
  const Lines expected = by_byte(text);
  must(expected.size() == lines.size(), "there are as many rows as a look at each byte finds");
  for (std::size_t i = 0; i < lines.size(); ++i)
    must(expected[i] == lines[i] || (expected[i].ends_with(" is none") && lines[i].starts_with("x.csv: row ")),
         "each is what a look at each byte finds");
}

// Row by row; a reader that begins there gives the same rest.
void check_places(const Bytes& bytes) {
  const MemorySource file(bytes, "x.csv");
  CsvReader whole(file, {});
  std::uint64_t last = 0;
  for (int i = 0; i < 20; ++i) {
    const TextPlace place = whole.place();
    must(place.offset >= last, "places go forward");
    last = place.offset;
    const auto next = whole.next(1);
    CsvReader rest(file, {}, {.from = place, .piece = 16});
    const auto again = rest.next(1);
    must(next.index() == again.index(), "a place is gone on from");
    const Corrupt* corrupt = std::get_if<Corrupt>(&next);
    const bool is_end = corrupt != nullptr && (corrupt->fault != Fault::bad_row || whole.names().empty());
    if (is_end || std::holds_alternative<EndOfFile>(next)) return;
    must(whole.place() == rest.place(), "a row leads to the same next one");
  }
}

}  // namespace
}  // namespace carrack::data

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace carrack::data;
  const auto content = std::as_bytes(std::span(data, size));
  const Bytes bytes(content.begin(), content.end());
  check_given_names(bytes);
  check_places(bytes);
  return 0;
}
