#include "dataloader/sources/json_lines_reader.h"

#include <algorithm>
#include <string>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/records/columns.h"
#include "dataloader/records/example_problems.h"
#include "dataloader/sources/number_text.h"
#include "dataloader/text.h"

namespace carrack::data {
namespace {

// Returns the features. Throws Error if one of them cannot be read from JSON lines.
std::vector<Feature> sensible(std::vector<Feature> features) {
  check_features(features);
  for (const Feature& requested : features) {
    if (requested.part != Part::features || requested.shape == Shape::lists)
      throw Error(quoted(requested) + " is asked for as lists of lists, and a member of JSON lines holds one list");
    if (requested.raw)
      throw Error(quoted(requested) + " is asked for as raw numbers, and JSON lines have them as text");
  }
  return features;
}

// Returns words for the value that comes next. They follow "holds" in a message.
std::string value_text(JsonScanner& line) {
  switch (line.peek()) {
    case '"':
      return "a string";
    case '[':
      return "an array within an array";
    case '{':
      return "an object";
    case 't':
    case 'f':
      return "a truth value";
    case 'n':
      return "null";
    default:
      return std::string(line.number().value_or("what is no value"));
  }
}

bool take_value(JsonScanner& line, std::string_view& value) {
  const std::optional<std::string_view> text = line.string();
  if (text) value = *text;
  return text.has_value();
}

std::optional<float> number_of(std::string_view text, float) {
  return float_in(text);
}
std::optional<std::int64_t> number_of(std::string_view text, std::int64_t) {
  return number_in<std::int64_t>(text);
}

// Consumes a number that fits in Number, or true as 1 and false as 0. Returns false for any other value, which it does
// not consume.
template <typename Number>
bool take_value(JsonScanner& line, Number& value) {
  const char first = line.peek();
  if ((first == 't' && line.take(std::string_view("true"))) || (first == 'f' && line.take(std::string_view("false")))) {
    value = first == 't' ? 1 : 0;
    return true;
  }
  const JsonScanner before = line;
  const std::optional<std::string_view> text = line.number();
  const std::optional<Number> number = text ? number_of(*text, value) : std::nullopt;
  if (number)
    value = *number;
  else
    line = before;
  return number.has_value();
}

}  // namespace

JsonLinesReader::JsonLinesReader(const ByteSource& file, std::vector<Feature> features, JsonLinesOptions options)
    : RowReader(file, sensible(std::move(features)), options.from, options.piece), missing_(options.missing) {
  for (std::size_t i = 0; i < features_.size(); ++i) places_.emplace(features_[i].name, i);
}

std::variant<TextRows, EndOfFile, Corrupt> JsonLinesReader::end_of_rows() {
  if (file_.problem()) return file_.close(file_.problem()->fault, file_.problem()->message);
  if (file_.bytes().empty()) return EndOfFile{};
  return file_.close(data::Fault::too_long, "the line is longer than 64 MiB");
}

std::optional<RowReader::FilledRows> JsonLinesReader::fill_rows(std::size_t most) {
  file_.find_lines(most, ends_);
  if (ends_.empty()) return std::nullopt;
  FilledRows filled;
  make_room(ends_.size());
  for (const std::size_t end : ends_) {
    const std::span<char> text = file_.line(filled.bytes, end);
    if (!JsonScanner(text).at_end()) {
      if (std::optional<Fault> fault = features_.empty() ? std::nullopt : parse(text, filled.count)) {
        file_.lose(file_.corrupt(fault->kind, filled.bytes + fault->at, std::move(fault->message), filled.count),
                   end - filled.bytes);
        break;
      }
      ++filled.count;
    }
    filled.bytes = end;
  }
  truncate_columns(filled.count);
  for (std::size_t i = 0; i < features_.size(); ++i) pad(features_[i], columns_[i]);
  return filled;
}

// Clears the columns. Gives columns of items room for `rows` rows; columns of lists grow while lines are parsed.
void JsonLinesReader::make_room(std::size_t rows) {
  for (std::size_t i = 0; i < features_.size(); ++i) {
    Column& column = columns_[i];
    const bool is_item = features_[i].shape == Shape::item;
    std::visit([&](auto& values) { values.resize(is_item ? rows * features_[i].count : 0, {}); }, column.values);
    if (!is_item) column.splits[0] = {0};
    column.longest.reset();
  }
}

// Removes the values of all rows but the first `rows`.
void JsonLinesReader::truncate_columns(std::size_t rows) {
  for (std::size_t i = 0; i < features_.size(); ++i) {
    Column& column = columns_[i];
    const bool is_item = features_[i].shape == Shape::item;
    if (!is_item) column.splits[0].resize(rows + 1);
    const std::size_t items = is_item ? rows : column.splits[0].back();
    std::visit([&](auto& values) { values.resize(items * features_[i].count, {}); }, column.values);
  }
}

// Returns the fault for a malformed line: the problem that `line` has recorded or, if it has none, `problem`.
JsonLinesReader::Fault JsonLinesReader::no_json(JsonScanner& line, const char* problem) {
  line.fail(problem);
  return {line.problem_at(), std::string("it is not JSON: ") + line.problem()};
}

// Parses a line, which must be an object, into row `row` of the columns.
std::optional<JsonLinesReader::Fault> JsonLinesReader::parse(std::span<char> text, std::size_t row) {
  JsonScanner line(text);
  members_.assign(features_.size(), Member::absent);
  if (!line.take('{')) return Fault{line.at(), "it is not an object; a file of JSON lines has one in each line"};
  bool has_more = !line.take('}');
  for (std::size_t place = 0; has_more; ++place) {
    if (std::optional<Fault> fault = member(line, place, row)) return fault;
    has_more = line.take(',');
    if (!has_more && !line.take('}')) return no_json(line, "a comma or } was expected");
  }
  if (!line.at_end()) return no_json(line, "text follows the object");
  for (std::size_t i = 0; i < features_.size(); ++i) {
    if (members_[i] == Member::present) continue;
    if (std::optional<Fault> fault = absent(i, row)) return fault;
  }
  return std::nullopt;
}

// Parses one member of a line, its name and its value. `place` is the index of the member in the line.
std::optional<JsonLinesReader::Fault> JsonLinesReader::member(JsonScanner& line, std::size_t place, std::size_t row) {
  line.peek();
  const std::size_t at = line.at();
  const std::optional<std::string_view> name = line.string();
  if (!name) return no_json(line, "a name in quotes was expected");
  const std::optional<std::size_t> feature = feature_of(*name, place);
  if (!line.take(':')) return no_json(line, "a colon was expected");
  if (!feature) return line.skip() ? std::nullopt : std::optional(no_json(line, ""));
  if (members_[*feature] != Member::absent) return Fault{at, quoted(features_[*feature]) + " occurs twice"};
  const bool is_missing = missing_.take(line);
  members_[*feature] = is_missing ? Member::null : Member::present;
  if (is_missing) return std::nullopt;
  return std::visit([&](auto& values) { return fill(line, *feature, row, values); }, columns_[*feature].values);
}

// Returns the index of the feature with this name; nullopt if it is not requested. `place` is the index of the member
// in its line. Lines nearly always have the same names in the same order, so the name is first compared with the name
// at this index in an earlier line.
std::optional<std::size_t> JsonLinesReader::feature_of(std::string_view name, std::size_t place) {
  constexpr std::size_t known_max = 4096;  // Limits the memory that lines with very many names can take.
  if (place < known_.size() && known_[place].name == name) return known_[place].feature;
  const auto found = places_.find(name);
  const std::optional<std::size_t> feature = found == places_.end() ? std::nullopt : std::optional(found->second);
  if (place == known_.size() && place < known_max) known_.emplace_back();
  if (place < known_.size()) known_[place] = {std::string(name), feature};
  return feature;
}

// Parses the value or the array of values that comes next into row `row` of the column.
template <typename Value>
std::optional<JsonLinesReader::Fault> JsonLinesReader::fill(JsonScanner& line, std::size_t feature, std::size_t row,
                                                            LargeVector<Value>& column) {
  const Feature& requested = features_[feature];
  const bool is_item = requested.shape == Shape::item;
  ValueWriter<Value> into(column, is_item ? row * requested.count : column.size(),
                          is_item ? requested.count : ValueWriter<Value>::all);
  line.peek();
  const std::size_t at = line.at();
  const bool is_array = line.take('[');
  const bool is_empty = is_array && line.take(']');
  if (is_empty && is_item && requested.default_values) {
    members_[feature] = Member::null;
    return std::nullopt;
  }
  if (!is_empty) {
    do {
      Value value{};
      if (!take_value(line, value)) return other_value(line, requested);
      into.add(value);
    } while (is_array && line.take(','));
    if (is_array && !line.take(']')) return no_json(line, "a comma or ] was expected");
  }
  const bool is_whole = is_item ? into.count() == requested.count : into.count() % requested.count == 0;
  if (!is_whole) {
    return Fault{at, mismatch_text(requested, quoted(requested), Parsed{Outcome::good}, into.count()),
                 is_empty ? data::Fault::no_value : data::Fault::bad_row};
  }
  if (is_item) return std::nullopt;
  std::vector<std::size_t>& splits = columns_[feature].splits[0];
  splits.push_back(splits.back() + into.count() / requested.count);
  return std::nullopt;
}

// Returns the fault for the next value, which is malformed or does not have the requested type.
JsonLinesReader::Fault JsonLinesReader::other_value(JsonScanner& line, const Feature& requested) {
  line.peek();
  const std::size_t at = line.at();
  JsonScanner ahead = line;
  if (line.problem() != nullptr || !ahead.skip()) return no_json(ahead, "");
  const std::string text = value_text(line);
  const bool is_large = requested.dtype == Dtype::int64 && is_whole_number(text);
  return {
      at,
      quoted(requested) + " holds " + text +
          (is_large ? ", which no int64 holds" : std::string(", and ") + name_of(requested.dtype) + " was asked for"),
      data::Fault::wrong_type};
}

// Fills row `row` of a feature that has no value in the line: with an empty list or the default. Returns a fault if
// there is no default.
std::optional<JsonLinesReader::Fault> JsonLinesReader::absent(std::size_t feature, std::size_t row) {
  const Feature& requested = features_[feature];
  Column& column = columns_[feature];
  if (requested.shape != Shape::item) {
    column.splits[0].push_back(column.splits[0].back());
    return std::nullopt;
  }
  if (!requested.default_values) {
    const std::string what = mismatch_text(requested, quoted(requested), Parsed{Outcome::unset}, 0);
    return Fault{0, what, data::Fault::no_value};
  }
  const auto take_default = [&]<typename Value>(LargeVector<Value>& values) {
    std::ranges::copy(std::get<LargeVector<Value>>(*requested.default_values),
                      values.begin() + static_cast<std::ptrdiff_t>(row * requested.count));
  };
  std::visit(take_default, column.values);
  return std::nullopt;
}

}  // namespace carrack::data
