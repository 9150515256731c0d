// Any bytes as JSON lines: rows or faults, the same whatever the sizes of pieces and calls and from any row on; types
// that hold what they were judged by; and what nlohmann's parser takes for JSON is what we do, where the two formats
// are one.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "dataloader/sources/json_lines_reader.h"
#include "dataloader/sources/json_lines_types.h"
#include "tests/dataloader/sources/rows.h"
#include "tests/fuzz/must.h"

namespace carrack::data {
namespace {

using fuzz::must;

const std::vector<Feature> asked = {
    {.name = "s", .dtype = Dtype::bytes, .default_values = LargeVector<std::string_view>{"none"}},
    {.name = "f", .count = 2, .default_values = LargeVector<float>{7, 8}},
    {.name = "i", .dtype = Dtype::int64, .shape = Shape::list}};

void check_sizes(const Bytes& bytes) {
  const MemorySource file(bytes, "x.jsonl");
  JsonLinesReader reader(file, asked);
  const Lines lines = read_all(reader);
  for (const auto& [piece, most] : {std::pair<std::size_t, std::size_t>{1, 1}, {100, 3}, {1, 1000}}) {
    JsonLinesReader other(file, asked, {.piece = piece});
    must(read_all(other, most) == lines, "pieces and calls of any size give the same");
  }
}

void check_places(const Bytes& bytes) {
  const MemorySource file(bytes, "x.jsonl");
  JsonLinesReader whole(file, asked);
  for (int i = 0; i < 20; ++i) {
    JsonLinesReader rest(file, asked, {.from = whole.place(), .piece = 16});
    const auto next = whole.next(1);
    const Corrupt* corrupt = std::get_if<Corrupt>(&next);
    const bool is_end = corrupt != nullptr && corrupt->fault != Fault::bad_row;
    must(rest.next(1).index() == next.index(), "a place is gone on from");
    if (is_end || std::holds_alternative<EndOfFile>(next)) return;
    must(whole.place() == rest.place(), "a row leads to the same next one");
  }
}

// What a line's members are judged to hold they hold, where nothing contradicts it.
void check_types(std::string_view text) {
  std::string line(text.substr(0, text.find('\n')));
  const MemorySource file(file_with(line), "x.jsonl");
  const auto found = types_of_json_lines(file, 1);
  std::vector<Feature> features;
  if (const auto* types = std::get_if<std::vector<JsonType>>(&found)) {
    for (const JsonType& type : *types) {
      if (type.conflict || !type.unsupported.empty()) return;
      features.push_back({.name = type.name, .dtype = type.dtype, .shape = Shape::list});
    }
  }
  JsonLinesReader reader(file, features);
  const auto next = reader.next(1);
  if (const Corrupt* corrupt = std::get_if<Corrupt>(&next))
    must(!corrupt->message.ends_with(" was asked for") && !corrupt->message.ends_with(", which no int64 holds"),
         "what is judged is held");
}

// Theirs knows no NaN, holds strings to UTF-8, ends at a zero byte, and refuses a number that no double holds.
void check_json(std::string_view text) {
  std::string line(text.substr(0, text.find('\n')));
  const bool may_differ =
      line.find_first_of("NIeE") != line.npos || std::ranges::any_of(line, [](char c) { return c <= 0 || c == 0x7f; });
  if (may_differ) return;
  const bool is_theirs = nlohmann::json::accept(line);
  JsonScanner scanner(line);
  const bool is_ours = scanner.skip() && scanner.at_end();
  const bool is_deep = scanner.problem() != nullptr && std::string_view(scanner.problem()).ends_with("deeper than 64");
  must(is_ours == is_theirs || is_deep, "JSON is JSON for both");
}

}  // namespace
}  // namespace carrack::data

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace carrack::data;
  const auto content = std::as_bytes(std::span(data, size));
  const Bytes bytes(content.begin(), content.end());
  check_sizes(bytes);
  check_places(bytes);
  check_types(wire::text_of(bytes));
  check_json(wire::text_of(bytes));
  return 0;
}
