#include "dataloader/sources/json_lines_reader.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/records/columns.h"
#include "dataloader/records/example_problems.h"
#include "dataloader/sources/number_text.h"
#include "dataloader/text.h"

namespace carrack::data {
namespace {

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

// The value at this place, to follow "holds" in a message.
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

// Finds the ends of up to `most` lines, within the bytes that may be buffered.
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
    if (ends_.size() >= most || bytes.size() >= row_bytes_max) return;
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

// Fills the columns from the lines found, up to one that is not a row.
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

// Removes values of lines behind the first `rows`.
void JsonLinesReader::cut(std::size_t rows) {
  for (std::size_t i = 0; i < features_.size(); ++i) {
    Column& column = columns_[i];
    const bool is_item = features_[i].shape == Shape::item;
    if (!is_item) column.splits[0].resize(rows + 1);
    const std::size_t items = is_item ? rows : column.splits[0].back();
    std::visit([&](auto& values) { values.resize(items * features_[i].count, {}); }, column.values);
  }
}

JsonLinesReader::Fault JsonLinesReader::no_json(JsonScanner& line, const char* problem) {
  line.fail(problem);
  return {line.problem_at(), std::string("it is no JSON: ") + line.problem()};
}

std::optional<JsonLinesReader::Fault> JsonLinesReader::parse(std::span<char> text, std::size_t row) {
  JsonScanner line(text);
  members_.assign(features_.size(), Member::absent);
  if (!line.take('{')) return Fault{line.at(), "it is no object; a file of JSON lines has one in each line"};
  bool has_more = !line.take('}');
  for (std::size_t place = 0; has_more; ++place) {
    if (std::optional<Fault> fault = member(line, place, row)) return fault;
    has_more = line.take(',');
    if (!has_more && !line.take('}')) return no_json(line, "a comma or } was expected");
  }
  if (!line.at_end()) return no_json(line, "text stands behind the object");
  for (std::size_t i = 0; i < features_.size(); ++i) {
    if (members_[i] == Member::present) continue;
    if (std::optional<Fault> fault = absent(i, row)) return fault;
  }
  return std::nullopt;
}

std::optional<JsonLinesReader::Fault> JsonLinesReader::member(JsonScanner& line, std::size_t place, std::size_t row) {
  line.peek();
  const std::size_t at = line.at();
  const std::optional<std::string_view> name = line.string();
  if (!name) return no_json(line, "a name in quotes was expected");
  const std::optional<std::size_t> feature = feature_of(*name, place);
  if (!line.take(':')) return no_json(line, "a colon was expected");
  if (!feature) return line.skip() ? std::nullopt : std::optional(no_json(line, ""));
  if (members_[*feature] != Member::absent) return Fault{at, quoted(features_[*feature]) + " stands twice"};
  const bool is_null = line.peek() == 'n' && line.take(std::string_view("null"));
  members_[*feature] = is_null ? Member::null : Member::present;
  if (is_null) return std::nullopt;
  return std::visit([&](auto& values) { return fill(line, *feature, row, values); }, columns_[*feature].values);
}

// Lines nearly always have the same names in the same order.
std::optional<std::size_t> JsonLinesReader::feature_of(std::string_view name, std::size_t place) {
  constexpr std::size_t known_max = 4096;  // Bounds the memory for hostile lines.
  if (place < known_.size() && known_[place].name == name) return known_[place].feature;
  const auto found = places_.find(name);
  const std::optional<std::size_t> feature = found == places_.end() ? std::nullopt : std::optional(found->second);
  if (place == known_.size() && place < known_max) known_.emplace_back();
  if (place < known_.size()) known_[place] = {std::string(name), feature};
  return feature;
}

// Parses the value or the array of values that begins here.
template <typename Value>
std::optional<JsonLinesReader::Fault> JsonLinesReader::fill(JsonScanner& line, std::size_t feature, std::size_t row,
                                                            LargeVector<Value>& column) {
  const Feature& requested = features_[feature];
  const bool is_item = requested.shape == Shape::item;
  Into<Value> into(column, is_item ? row * requested.count : column.size(),
                   is_item ? requested.count : Into<Value>::all);
  line.peek();
  const std::size_t at = line.at();
  const bool is_array = line.take('[');
  if (!is_array || !line.take(']')) {
    do {
      Value value{};
      if (!take_value(line, value)) return other_value(line, requested);
      into.add(value);
    } while (is_array && line.take(','));
    if (is_array && !line.take(']')) return no_json(line, "a comma or ] was expected");
  }
  const bool is_whole = is_item ? into.count() == requested.count : into.count() % requested.count == 0;
  if (!is_whole) return Fault{at, problem(requested, quoted(requested), Parsed{Outcome::good}, into.count())};
  if (is_item) return std::nullopt;
  std::vector<std::size_t>& splits = columns_[feature].splits[0];
  splits.push_back(splits.back() + into.count() / requested.count);
  return std::nullopt;
}

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

std::optional<JsonLinesReader::Fault> JsonLinesReader::absent(std::size_t feature, std::size_t row) {
  const Feature& requested = features_[feature];
  Column& column = columns_[feature];
  if (requested.shape != Shape::item) {
    column.splits[0].push_back(column.splits[0].back());
    return std::nullopt;
  }
  if (!requested.default_values) return Fault{0, problem(requested, quoted(requested), Parsed{Outcome::unset}, 0)};
  const auto take_default = [&]<typename Value>(LargeVector<Value>& values) {
    std::ranges::copy(std::get<LargeVector<Value>>(*requested.default_values),
                      values.begin() + static_cast<std::ptrdiff_t>(row * requested.count));
  };
  std::visit(take_default, column.values);
  return std::nullopt;
}

}  // namespace carrack::data
