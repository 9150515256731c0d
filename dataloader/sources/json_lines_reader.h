// JsonLinesReader: a RowReader that parses a file of JSON lines into the columns of a batch. Each line is an object,
// such as {"label": 3, "image": [0.5, 1]}, whose members are features. Members that are not requested are skipped, but
// must be valid JSON. Blank lines are not rows. docs/formats/jsonlines.md. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/example_values.h"
#include "dataloader/sources/json_scanner.h"
#include "dataloader/sources/missing_values.h"
#include "dataloader/sources/row_reader.h"

namespace carrack::data {

struct JsonLinesOptions {
  // Strings and numbers that mean a missing value, as null does (missing_values.h). They do not count within an array.
  std::vector<std::string> missing = {};
  // Where to begin: the place() of an earlier reader of this file. By default at the first row.
  TextPlace from = {};
  std::size_t piece = std::size_t{256} << 10;  // the number of bytes of one read of the file
};

class JsonLinesReader final : public RowReader {
 public:
  // Each feature is read from the member of its name: an item, a list or a padded list of numbers or strings. Throws
  // Error for other requests. If a member is absent, null, a missing value or an empty array, a list is empty, and an
  // item gets its default; without a default the row is lost: next() returns it as Corrupt. The file must outlive the
  // reader.
  JsonLinesReader(const ByteSource& file, std::vector<Feature> features, JsonLinesOptions options = {});

 private:
  struct Fault {
    std::size_t at;  // the offset in the line
    std::string message;
    data::Fault kind = data::Fault::bad_row;
  };
  enum class Member : std::uint8_t { absent, null, present };
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  // The name of a member of an earlier line, and the index of its feature; nullopt if it is not requested.
  struct Known {
    std::string name;
    std::optional<std::size_t> feature;
  };

  std::optional<FilledRows> fill_rows(std::size_t most) override;
  std::variant<TextRows, EndOfFile, Corrupt> end_of_rows() override;
  std::optional<Fault> parse(std::span<char> text, std::size_t row);
  std::optional<Fault> member(JsonScanner& line, std::size_t place, std::size_t row);
  std::optional<std::size_t> feature_of(std::string_view name, std::size_t place);
  template <typename Value>
  std::optional<Fault> fill(JsonScanner& line, std::size_t feature, std::size_t row, LargeVector<Value>& column);
  std::optional<Fault> absent(std::size_t feature, std::size_t row);
  static Fault no_json(JsonScanner& line, const char* problem);
  static Fault other_value(JsonScanner& line, const Feature& requested);
  void make_room(std::size_t rows);
  void truncate_columns(std::size_t rows);

  const MissingValues missing_;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> places_;  // the index of each feature, by name
  std::vector<Known> known_;       // by the index of the member in its line
  std::vector<Member> members_;    // for each feature, whether the current line has it
  std::vector<std::size_t> ends_;  // the offsets in the buffered bytes after each line that was found
};

}  // namespace carrack::data
