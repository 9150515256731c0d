#include "dataloader/cli/row_inputs.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "dataloader/cli/inputs.h"
#include "dataloader/cli/joining.h"
#include "dataloader/error.h"
#include "dataloader/sources/csv_types.h"
#include "dataloader/sources/json_lines_types.h"

namespace carrack::data::cli {
namespace {

constexpr std::uint64_t judged_rows = 10'000;
constexpr std::string_view exec = "exec:";

// In the order of InputKind.
constexpr std::array<std::string_view, 5> kinds = {"TFRecords", "CSV", "JSON lines", "arrays", "what a program prints"};

Program program_from(const std::string& name, std::vector<std::string> environment) {
  std::istringstream words(name.substr(exec.size()));
  Program program{{}, std::move(environment)};
  for (std::string word; words >> word;) program.arguments.push_back(word);
  return program;
}

std::vector<std::string> names_of(const std::vector<Listed>& files) {
  std::vector<std::string> names;
  for (const Listed& file : files) names.push_back(file.url);
  return names;
}

template <typename Found>
Found good(std::variant<Found, Corrupt> found) {
  if (const Corrupt* corrupt = std::get_if<Corrupt>(&found)) throw Error(text(*corrupt));
  return std::get<Found>(std::move(found));
}

// Each as a list, so that what is absent is none.
JudgedColumn judged_column(const std::string& name, Dtype dtype, std::string why, bool is_left_out = false) {
  return {{.name = name, .dtype = dtype, .shape = Shape::list}, std::move(why), is_left_out};
}

void take_types(const Request& request, std::vector<JudgedColumn>& columns) {
  for (const auto& [name, dtype] : request.types) {
    const auto found = std::ranges::find(columns, name, [](const JudgedColumn& column) { return column.feature.name; });
    const bool is_joined = std::ranges::find(request.joins, name, &Request::Join::name) != request.joins.end();
    if (found == columns.end() && !is_joined) throw Refused("--types: " + no_column_text(name, columns));
    if (found == columns.end()) continue;
    found->feature.dtype = dtype;
    found->judged.clear();
    found->is_left_out = false;
  }
}

// What is typed decides before what the columns look like.
template <typename Open>
Dataset rows_of(const Request& request, std::vector<JudgedColumn> columns, Inputs& inputs, const Open& open) {
  take_types(request, columns);
  const std::vector<Joined> joins = take_joins(request, columns);
  std::vector<Feature> features;
  for (JudgedColumn& column : columns) {
    if (!column.is_left_out) features.push_back(std::move(column.feature));
    if (!column.judged.empty()) inputs.judged.push_back(std::move(column.judged));
  }
  return joined(open(features), joins);
}

// The first that holds anything.
const Listed& judged_file(const std::vector<Listed>& files) {
  const auto found = std::ranges::find_if(files, [](const Listed& file) { return file.stat.size > 0; });
  return found == files.end() ? files.front() : *found;
}

// What else may separate the fields of a file that has one column; empty where nothing does, or it was told.
std::string separator_hint(const Request& request, const CsvTypes& types, char delimiter) {
  if (request.delimiter || types.columns.size() != 1) return "";
  const std::string& name = types.columns[0].name;
  for (const char other : {';', '\t', ','}) {
    if (other == delimiter || name.find(other) == name.npos) continue;
    const std::string typed = other == '\t' ? "\\t" : std::string(1, other);
    return "it is the only column; if " + (other == '\t' ? "a tab" : typed) +
           " separates its fields, say --delimiter '" + typed + "'";
  }
  return "";
}

Dataset csv(const Request& request, const Storages& storages, Inputs& inputs) {
  const Listed& first = judged_file(inputs.files);
  CsvOptions options;
  const bool has_tabs = first.url.ends_with(".tsv") || first.url.ends_with(".tsv.gz");
  options.delimiter = request.delimiter.value_or(has_tabs ? '\t' : ',');
  const StoredObject file(storages.for_url(first.url), first.url, first.stat);
  const CsvTypes types = good(types_of_csv(file, options, judged_rows));
  std::vector<JudgedColumn> columns;
  for (const CsvType& type : types.columns)
    columns.push_back(judged_column(type.name, type.dtype, text(type, types.rows)));
  Dataset rows = rows_of(request, std::move(columns), inputs, [&](const std::vector<Feature>& features) {
    return Dataset::csv(names_of(inputs.files), features, options);
  });
  std::string hint = separator_hint(request, types, options.delimiter);
  if (!hint.empty()) inputs.judged.push_back(std::move(hint));
  return rows;
}

void require_one_type(const Request& request, const JsonType& type) {
  if (type.conflict && !told_type(request, type.name))
    throw Error(
        text(*type.conflict) + "; --types " + type.name +
        "=TYPE says what it is taken for, bytes, float32 or int64, and --skip-corrupt leaves out rows that hold "
        "something else");
}

Dataset json_lines(const Request& request, const Storages& storages, Inputs& inputs) {
  const Listed& first = judged_file(inputs.files);
  const StoredObject file(storages.for_url(first.url), first.url, first.stat);
  std::vector<JudgedColumn> columns;
  for (const JsonType& type : good(types_of_json_lines(file, judged_rows))) {
    require_one_type(request, type);
    columns.push_back(judged_column(type.name, type.dtype, text(type), type.is_left_out()));
  }
  const bool is_any_used = std::ranges::any_of(columns, [&](const JudgedColumn& column) {
    return !column.is_left_out || told_type(request, column.feature.name);
  });
  if (!is_any_used && first.stat.size > 0) {
    throw Refused(first.url + ": none of its first rows can be used; " +
                  (columns.empty() ? "each is an object on a line of its own, of numbers, texts, true and false, and "
                                     "lists of them"
                                   : columns.front().judged));
  }
  return rows_of(request, std::move(columns), inputs, [&](const std::vector<Feature>& features) {
    return Dataset::json_lines(names_of(inputs.files), features);
  });
}

// What is said of text is said of nothing else.
void require_use(const Request& request, InputKind kind) {
  const std::string are = ", and these are " + std::string(kinds[static_cast<std::size_t>(kind)]);
  const bool is_text = kind == InputKind::csv || kind == InputKind::json_lines;
  if (!request.types.empty() && !is_text) throw Refused("--types: says what columns of CSV and JSON lines hold" + are);
  if (!request.joins.empty() && !is_text) throw Refused("--join: puts columns of CSV and JSON lines together" + are);
  if (request.delimiter && kind != InputKind::csv) throw Refused("--delimiter: separates fields of CSV" + are);
}

}  // namespace

InputKind kind_of_input(const std::string& name) {
  if (name.starts_with(exec)) return InputKind::program;
  const std::string_view plain = std::string_view(name).substr(0, name.size() - (name.ends_with(".gz") ? 3 : 0));
  if (plain.ends_with(".csv") || plain.ends_with(".tsv")) return InputKind::csv;
  if (plain.ends_with(".jsonl") || plain.ends_with(".ndjson")) return InputKind::json_lines;
  return name.ends_with(".npy") || name.ends_with(".npz") ? InputKind::arrays : InputKind::records;
}

std::uint64_t Inputs::bytes() const {
  std::uint64_t bytes = 0;
  for (const Listed& file : files) bytes += file.stat.size;
  return bytes;
}

Inputs inputs_of(const Request& request, const Storages& storages, const std::vector<std::string>& environment) {
  Inputs inputs;
  const std::string& first = request.inputs.front();
  if (kind_of_input(first) == InputKind::program) {
    if (request.inputs.size() > 1) throw Refused(request.inputs[1] + ": a program is read alone");
    inputs.kind = InputKind::program;
    require_use(request, inputs.kind);
    inputs.rows = Dataset::program(program_from(first, environment));
    return inputs;
  }
  inputs.files = files_of(storages, request.inputs);
  inputs.kind = kind_of_input(inputs.files.front().url);
  for (const Listed& file : inputs.files) {
    const InputKind kind = kind_of_input(file.url);
    if (kind != inputs.kind)
      throw Refused(file.url + ": is named as " + std::string(kinds[static_cast<std::size_t>(kind)]) + ", and " +
                    inputs.files.front().url + " as " + std::string(kinds[static_cast<std::size_t>(inputs.kind)]) +
                    "; read each kind by itself");
  }
  require_use(request, inputs.kind);
  if (inputs.kind == InputKind::csv) inputs.rows = csv(request, storages, inputs);
  if (inputs.kind == InputKind::json_lines) inputs.rows = json_lines(request, storages, inputs);
  if (inputs.kind == InputKind::arrays) inputs.rows = Dataset::arrays(names_of(inputs.files));
  return inputs;
}

}  // namespace carrack::data::cli
