#include "dataloader/sources/csv_types.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "dataloader/records/example_problems.h"
#include "dataloader/sources/csv_texts.h"
#include "dataloader/sources/missing_values.h"
#include "dataloader/sources/number_text.h"
#include "dataloader/sources/row_lines.h"
#include "dataloader/text.h"

namespace carrack::data {
namespace {

// Returns the first of int64, float32 and bytes that can have the field. A whole number beyond 64 bits is bytes,
// because a float would be another number.
Dtype narrowest(std::string_view field) {
  if (int_in(field)) return Dtype::int64;
  return float_in(field) && !is_whole_number(field) ? Dtype::float32 : Dtype::bytes;
}

// Infers the type of one column. The caller calls see() with the column's field of each row, and then type().
class TypeInference {
 public:
  explicit TypeInference(const std::string& name) : type_{name, Dtype::int64} {}

  void see(std::string_view field, std::uint64_t row) {
    if (field.empty()) {
      ++type_.empty;
      return;
    }
    if (type_.dtype == Dtype::bytes && !can_be_words_) return;
    const Dtype dtype = narrowest(field);
    if (dtype == Dtype::bytes)
      see_word(field);
    else if (dtype == Dtype::float32)
      words_.dtype_of_others = dtype;
    if (type_.dtype == Dtype::bytes || dtype == Dtype::int64 || dtype == type_.dtype) return;
    type_.dtype = dtype;
    type_.decided = {row, std::string(field)};
  }

  // Returns the type, once see() has been called for all `rows` rows.
  CsvType type(std::uint64_t rows) && {
    if (type_.empty == rows) type_.dtype = Dtype::bytes;
    // Words are fields that are not numbers. If they are less than half, they may mean missing values.
    const bool are_few = can_be_words_ && words_.count > 0 && 2 * words_.count < rows - type_.empty;
    if (are_few) type_.words = std::move(words_);
    return std::move(type_);
  }

 private:
  // Counts a field that is not a number. text() proposes the option --missing for such words. The option separates
  // words by commas, so text() cannot propose a word with a comma.
  void see_word(std::string_view field) {
    constexpr std::size_t words_max = 3;
    ++words_.count;
    if (std::ranges::find(words_.words, field) != words_.words.end()) return;
    words_.words.emplace_back(field);
    can_be_words_ = words_.words.size() <= words_max && field.find(',') == field.npos && !is_whole_number(field);
  }

  CsvType type_;
  CsvType::Words words_;
  bool can_be_words_ = true;
};

// Sets the line of the first word of each column, for messages. Goes through the columns in the order of these words,
// because RowLines reads the file only forward.
void find_lines(const ByteSource& file, const CsvOptions& options, std::vector<CsvType>& types) {
  std::vector<CsvType*> in_order;
  for (CsvType& type : types)
    if (type.words) in_order.push_back(&type);
  if (in_order.empty()) return;
  std::ranges::sort(in_order, {}, [](const CsvType* type) { return type->decided->row; });
  const std::unique_ptr<RowLines> lines = lines_of_csv(file, options);
  for (CsvType* type : in_order) type->words->line = lines->line_of(type->decided->row);
}

// Returns the part of the message that proposes the option --missing, which makes the column a column of numbers.
// Returns "" if a word has characters that the message would show escaped: the user could not copy such an option.
std::string advice_on(const CsvType::Words& words) {
  const std::string value = joined(words.words, ",");
  if (printable(value) != value) return "";
  return "; --missing " + shell_word(value) + " makes it " + name_of(words.dtype_of_others);
}

}  // namespace

std::variant<CsvTypes, Corrupt> types_of_csv(const ByteSource& file, CsvOptions options, std::uint64_t rows_max) {
  auto names = csv_columns(file, options);
  if (Corrupt* corrupt = std::get_if<Corrupt>(&names)) return std::move(*corrupt);
  CsvTypes types;
  std::vector<TypeInference> columns;
  std::vector<Feature> features;
  for (const std::string& name : std::get<std::vector<std::string>>(names)) {
    columns.emplace_back(name);
    features.push_back({.name = name, .dtype = Dtype::bytes, .default_values = LargeVector<std::string_view>{""}});
  }
  CsvReader reader(file, std::move(features), options);
  const MissingValues missing(options.missing);
  while (types.rows < rows_max) {
    const auto next = reader.next(std::min<std::uint64_t>(rows_max - types.rows, 1024));
    if (std::holds_alternative<EndOfFile>(next)) break;
    const TextRows* rows = std::get_if<TextRows>(&next);
    if (rows == nullptr) continue;
    for (std::size_t i = 0; i < rows->columns.size(); ++i) {
      const auto& fields = std::get<LargeVector<std::string_view>>(rows->columns[i].values);
      for (std::size_t row = 0; row < rows->count; ++row)
        columns[i].see(missing.has_number(fields[row]) ? "" : fields[row], rows->first + row);
    }
    types.rows += rows->count;
  }
  for (TypeInference& column : columns) types.columns.push_back(std::move(column).type(types.rows));
  find_lines(file, options, types.columns);
  return types;
}

std::string text(const CsvType& type, std::uint64_t rows) {
  const std::string subject = "column " + excerpt(type.name) + " is " + name_of(type.dtype) + ": ";
  if (type.words)
    return "column " + excerpt(type.name) + " is bytes because of " + counted(type.words->count) + " of " +
           counted(rows - type.empty, "value") + ", as " + excerpt(type.decided->text) + " in line " +
           counted(type.words->line) + advice_on(*type.words);
  if (type.decided)
    return subject + "row " + std::to_string(type.decided->row) + " holds " + excerpt(type.decided->text);
  if (rows == 0) return subject + "there are no rows that tell";
  const std::string first = "in the first " + (rows == 1 ? "row" : counted(rows, "row"));
  if (type.empty == rows) return subject + "it is empty " + first;
  return subject + (rows == 1 ? "so is the value " : "so are all values ") + first;
}

}  // namespace carrack::data
