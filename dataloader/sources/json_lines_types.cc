#include "dataloader/sources/json_lines_types.h"

#include <optional>
#include <unordered_map>
#include <utility>

#include "dataloader/records/example_problems.h"
#include "dataloader/sources/json_scanner.h"
#include "dataloader/sources/missing_values.h"
#include "dataloader/sources/number_text.h"
#include "dataloader/sources/row_file.h"
#include "dataloader/text.h"

namespace carrack::data {
namespace {

struct Value {
  std::optional<Dtype> dtype;  // nullopt if no feature can have the value
  std::string text;
  bool is_too_large = false;  // a whole number beyond 64 bits
};

// Returns words for a value that no feature can have, by its first character; empty for other values.
const char* words_of_unsupported(char first) {
  if (first == '{') return "an object";
  if (first == '[') return "an array within an array";
  return first == 'n' ? "null within an array" : "";
}

// Consumes and returns the value that comes next, which is neither missing nor an array; nullopt if it is malformed.
std::optional<Value> value_here(JsonScanner& line) {
  const std::string unsupported = words_of_unsupported(line.peek());
  if (!unsupported.empty()) return line.skip() ? std::optional(Value{std::nullopt, unsupported}) : std::nullopt;
  if (line.peek() == '"') {
    const std::optional<std::string_view> string = line.string();
    return string ? std::optional(Value{Dtype::bytes, excerpt(*string)}) : std::nullopt;
  }
  for (const std::string_view word : {std::string_view("true"), std::string_view("false")})
    if (line.peek() == word[0] && line.take(word)) return Value{Dtype::int64, std::string(word)};
  const std::optional<std::string_view> number = line.number();
  if (!number) return std::nullopt;
  if (!is_whole_number(*number)) return Value{Dtype::float32, std::string(*number)};
  return Value{Dtype::int64, std::string(*number), !int_in(*number)};
}

// Infers the types of all members from the lines with which the caller calls see().
class TypeInference {
 public:
  // While see() runs, the current row of `file` must be the line that the caller passes, because see() reports
  // conflicts at the current row.
  TypeInference(const RowFile& file, const std::vector<std::string>& missing) : file_(file), missing_(missing) {}

  // Takes a line into account. Returns false, and ignores the line, if it is not a JSON object.
  bool see(std::span<char> text) {
    JsonScanner line(text);
    std::vector<std::pair<std::string, std::optional<Value>>> members;
    if (!line.take('{')) return false;
    for (bool more = !line.take('}'); more;) {
      const std::optional<std::string_view> name = line.string();
      if (!name) return false;
      std::string named(*name);
      if (!line.take(':')) return false;
      members.emplace_back(std::move(named), std::nullopt);
      if (!see_values(line, members)) return false;
      more = line.take(',');
      if (!more && !line.take('}')) return false;
    }
    for (const auto& [name, value] : members) decide(name, value);
    return true;
  }

  std::vector<JsonType> types() && {
    for (std::size_t i = 0; i < types_.size(); ++i)
      if (types_[i].dtype == Dtype::int64 && !types_[i].conflict) types_[i].conflict = std::move(too_large_[i]);
    return std::move(types_);
  }

 private:
  // Appends the values of the member whose name is last in `members`. Returns false if they are malformed.
  bool see_values(JsonScanner& line, std::vector<std::pair<std::string, std::optional<Value>>>& members) const {
    if (missing_.take(line)) return true;
    const bool is_array = line.take('[');
    if (is_array && line.take(']')) return true;
    do {
      std::optional<Value> value = value_here(line);
      if (!value) return false;
      members.emplace_back(members.back().first, std::move(value));
    } while (is_array && line.take(','));
    return !is_array || line.take(']');
  }

  // Takes one value of the member `name` into account; nullopt if the line has the member without a value.
  void decide(const std::string& name, const std::optional<Value>& value) {
    const auto [place, is_new] = places_.try_emplace(name, types_.size());
    if (is_new) {
      types_.push_back({name, Dtype::bytes, "", 0});
      too_large_.emplace_back();
    }
    if (!value) return;
    JsonType& type = types_[place->second];
    if (!value->dtype) {
      if (type.unsupported.empty()) type.unsupported = value->text;
      return;
    }
    const auto conflict = [&](const std::string& why) {
      return file_.corrupt(Fault::bad_row, 0, "member " + excerpt(name) + " holds " + value->text + why);
    };
    const bool is_first = type.decided.empty();
    if (!is_first && (type.dtype == Dtype::bytes) != (value->dtype == Dtype::bytes)) {
      if (type.conflict) return;
      type.is_mixed = true;
      type.conflict = conflict(", and " + type.decided + " in row " + std::to_string(type.row) +
                               "; a feature holds strings or numbers");
      return;
    }
    std::optional<Corrupt>& too_large = too_large_[place->second];
    if (value->is_too_large && !too_large) too_large = conflict(", which no int64 holds");
    if (is_first || (type.dtype == Dtype::int64 && value->dtype == Dtype::float32))
      type = {name,
              *value->dtype,
              value->text,
              file_.place().row,
              std::move(type.conflict),
              type.is_mixed,
              std::move(type.unsupported)};
  }

  const RowFile& file_;
  const MissingValues missing_;
  std::vector<JsonType> types_;
  std::vector<std::optional<Corrupt>> too_large_;        // for each type, the first whole number beyond 64 bits
  std::unordered_map<std::string, std::size_t> places_;  // the index of each name in types_ and too_large_
};

}  // namespace

std::variant<std::vector<JsonType>, Corrupt> types_of_json_lines(const ByteSource& file, std::uint64_t rows_max,
                                                                 const std::vector<std::string>& missing) {
  RowFile rows(file, std::size_t{256} << 10);
  if (std::optional<Corrupt> fault = rows.begin()) return *std::move(fault);
  TypeInference inference(rows, missing);
  std::vector<std::size_t> end;
  for (std::uint64_t seen = 0; seen < rows_max;) {
    rows.find_lines(1, end);
    if (end.empty()) break;
    const std::span<char> line = rows.line(0, end[0]);
    const bool is_row = !JsonScanner(line).at_end();
    if (is_row && inference.see(line)) ++seen;
    rows.pass(end[0], is_row ? 1 : 0);
  }
  return std::move(inference).types();
}

std::string text(const JsonType& type) {
  if (type.is_left_out())
    return "member " + excerpt(type.name) + " holds " + type.unsupported + ", which no feature can; it is left out";
  const std::string subject = "member " + excerpt(type.name) + " is " + name_of(type.dtype) + ": ";
  if (type.decided.empty()) return subject + "it holds nothing in the first rows";
  return subject + "row " + std::to_string(type.row) + " holds " + type.decided;
}

}  // namespace carrack::data
