#include "dataloader/cli/inputs.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "dataloader/cli/fill_gaps.h"
#include "dataloader/cli/join_columns.h"
#include "dataloader/cli/summary/descriptions.h"
#include "dataloader/error.h"
#include "dataloader/indexes/index_name.h"
#include "dataloader/records/first_bytes.h"
#include "dataloader/sources/csv_types.h"
#include "dataloader/sources/json_lines_types.h"
#include "dataloader/sources/row_lines.h"
#include "dataloader/storage/url.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

constexpr std::uint64_t inference_rows = 10'000;

Listed one_file(Storage& storage, const std::string& name) {
  if (std::optional<ObjectStat> stat = name.ends_with('/') ? std::nullopt : storage.stat(name))
    return {name, *std::move(stat)};
  std::string folder = name;
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  if (is_folder(storage, folder)) throw Refused(name + ": is a folder; name its files, as in '" + folder + "/*'");
  throw Refused(name + ": there is no such file");
}

std::vector<Listed> matching_files(Storage& storage, const std::string& pattern) {
  std::vector<Listed> found = storage.list(pattern);
  std::set<std::string> names;
  for (const Listed& file : found) names.insert(file.url);
  // The pattern may also match the index or the column names of a data file. These are left out.
  std::erase_if(found, [&](const Listed& file) { return names.contains(described_file_name(file.url)); });
  if (found.empty()) throw Refused(pattern + ": no file matches");
  return found;
}

// Parses 'exec:PROGRAM ARGUMENT...'. Throws Refused if a file has this name: a shell may have expanded a pattern such
// as * to it, and the user then does not want to run a program.
Program parse_program(const Request& request) {
  const std::string& argument = request.inputs.front();
  std::error_code unknown;
  if (std::filesystem::exists(argument, unknown))
    throw Refused(argument + ": is a file, so it is not run as a program; write './" + argument +
                  "' to read it, or rename it to run the program");
  std::istringstream words(argument.substr(argument.find(':') + 1));
  Program program{{}, request.environment};
  for (std::string word; words >> word;) program.arguments.push_back(word);
  return program;
}

template <typename Result>
Result or_error(std::variant<Result, Corrupt> result) {
  if (const Corrupt* corrupt = std::get_if<Corrupt>(&result)) throw Error(text(*corrupt));
  return std::get<Result>(std::move(result));
}

// Makes the column a list, so that a missing value is an empty list.
InferredColumn inferred_column(const std::string& name, Dtype dtype, std::string reason, bool skipped = false) {
  return {{.name = name, .dtype = dtype, .shape = Shape::list}, std::move(reason), skipped};
}

// Sets the types of --types in `columns`. A name in --types may also be that of a feature that --join makes;
// resolve_joins() uses its type.
void apply_types(const Request& request, std::vector<InferredColumn>& columns) {
  for (const auto& [name, dtype] : request.types) {
    const auto found = find_column(columns, name);
    const bool is_joined = std::ranges::find(request.joins, name, &Request::Join::name) != request.joins.end();
    if (found == columns.end() && !is_joined) throw Refused("--types: " + unknown_column_message(name, columns));
    if (found == columns.end()) continue;
    found->feature.dtype = dtype;
    found->reason.clear();
    found->skipped = false;
  }
}

// Applies --types, --join and --fill to the inferred columns, and opens the files with the resulting columns. Adds
// notes for the user about the columns, and the names of joined columns, to `inputs`.
Dataset open_columns(const Request& request, const Storages& storages, std::vector<InferredColumn> columns,
                     Inputs& inputs, const OpenColumns& open) {
  apply_types(request, columns);
  const std::vector<JoinedFeature> joins = resolve_joins(request, columns);
  // Only --fill needs the size, for its progress bar. Otherwise bytes_of_rows() is not called, as it reads the files.
  const std::uint64_t bytes = request.fills.empty() ? 0 : bytes_of_rows(inputs.files, storages);
  const std::vector<std::string> filled = apply_fills(request, storages, bytes, open, columns);
  std::vector<Feature> features;
  for (InferredColumn& column : columns) {
    if (!column.skipped) features.push_back(std::move(column.feature));
    if (!column.reason.empty()) inputs.notes.push_back(std::move(column.reason));
  }
  for (const JoinedFeature& one : joins) inputs.columns[one.name] = one.columns;
  inputs.notes.insert(inputs.notes.end(), filled.begin(), filled.end());
  return join_columns(open(features), joins);
}

// Returns the file from which types are inferred: the first one that is not empty.
StoredObject inference_file(const Storages& storages, const std::vector<Listed>& files) {
  const auto found = std::ranges::find_if(files, [](const Listed& file) { return file.stat.size > 0; });
  const Listed& file = found == files.end() ? files.front() : *found;
  return {storages.for_url(file.url), file.url, file.stat};
}

// Returns a sentence that suggests --delimiter if there is a single column and its name holds another separator;
// otherwise an empty text.
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

Dataset open_csv_rows(const Request& request, const Storages& storages, Inputs& inputs) {
  const StoredObject file = inference_file(storages, inputs.files);
  CsvOptions& options = inputs.csv;
  const bool has_tabs = file.name().ends_with(".tsv") || file.name().ends_with(".tsv.gz");
  options.missing = request.missing;
  options.delimiter = request.delimiter.value_or(has_tabs ? '\t' : ',');
  const CsvTypes types = or_error(types_of_csv(file, options, inference_rows));
  std::vector<InferredColumn> columns;
  for (const CsvType& type : types.columns)
    columns.push_back(inferred_column(type.name, type.dtype, text(type, types.rows)));
  Dataset rows = open_columns(request, storages, std::move(columns), inputs, [&](const std::vector<Feature>& features) {
    return Dataset::csv(urls_of(inputs.files), features, options);
  });
  std::string hint = separator_hint(request, types, options.delimiter);
  if (!hint.empty()) inputs.notes.push_back(std::move(hint));
  return rows;
}

// Throws an Error if the values of a member of JSON lines have several types, unless --types says which one it has.
void require_one_type(const Request& request, const ByteSource& file, const JsonType& type) {
  if (type.conflict && !type_override(request, type.name))
    throw Error(
        fault_text(*type.conflict, lines_of_json_lines(file)->line_of(type.conflict->record)) + "; " +
        (type.is_mixed ? "--missing says which strings stand for no value, and " : "") + "--types " + type.name +
        "=TYPE says what it is taken for, bytes, float32 or int64, and --on-damage skip leaves out rows that hold "
        "something else");
}

Dataset open_json_rows(const Request& request, const Storages& storages, Inputs& inputs) {
  const StoredObject file = inference_file(storages, inputs.files);
  std::vector<InferredColumn> columns;
  for (const JsonType& type : or_error(types_of_json_lines(file, inference_rows, request.missing))) {
    require_one_type(request, file, type);
    columns.push_back(inferred_column(type.name, type.dtype, text(type), type.is_left_out()));
  }
  const bool is_any_used = std::ranges::any_of(columns, [&](const InferredColumn& column) {
    return !column.skipped || type_override(request, column.feature.name);
  });
  if (!is_any_used && file.stat().size > 0) {
    throw Refused(file.name() + ": none of its first rows can be used; " +
                  (columns.empty() ? "each is an object on a line of its own, of numbers, texts, true and false, and "
                                     "lists of them"
                                   : columns.front().reason));
  }
  return open_columns(request, storages, std::move(columns), inputs, [&](const std::vector<Feature>& features) {
    return Dataset::json_lines(urls_of(inputs.files), features, {.missing = request.missing});
  });
}

// Throws Refused for an option that does not apply to this kind of input.
void require_options_fit(const Request& request, InputKind kind) {
  const std::string are = ", and these are " + std::string(name_of(kind));
  const bool is_text = kind == InputKind::csv || kind == InputKind::json_lines;
  if (!request.types.empty() && !is_text) throw Refused("--types: says what columns of CSV and JSON lines hold" + are);
  if (!request.missing.empty() && !is_text)
    throw Refused("--missing: says which texts of CSV and JSON lines stand for no value" + are);
  if (!request.fills.empty() && !is_text)
    throw Refused(request.fills[0].option + ": gives columns of CSV and JSON lines values" + are);
  if (!request.joins.empty() && !is_text) throw Refused("--join: puts columns of CSV and JSON lines together" + are);
  if (request.delimiter && kind != InputKind::csv) throw Refused("--delimiter: separates fields of CSV" + are);
}

void require_one_kind(const std::vector<Listed>& files) {
  const std::string& first = files.front().url;
  for (const Listed& file : files) {
    if (input_kind(file.url) == input_kind(first)) continue;
    throw Refused(file.url + ": is named as " + std::string(name_of(input_kind(file.url))) + ", and " + first + " as " +
                  std::string(name_of(input_kind(first))) + "; read each kind by itself");
  }
}

Inputs open_program(const Request& request) {
  if (request.inputs.size() > 1) throw Refused(request.inputs[1] + ": a program is read alone");
  require_options_fit(request, InputKind::program);
  return {.kind = InputKind::program, .rows = Dataset::program(parse_program(request))};
}

}  // namespace

std::vector<Listed> list_files(const Storages& storages, const std::vector<std::string>& names) {
  std::vector<Listed> files;
  std::set<std::string> known;
  for (const std::string& name : names) {
    Storage& storage = storages.for_url(name);
    for (Listed& file : has_wildcard(name) ? matching_files(storage, name) : std::vector{one_file(storage, name)})
      if (known.insert(canonical_url(file.url)).second) files.push_back(std::move(file));
  }
  return files;
}

std::vector<std::string> urls_of(const std::vector<Listed>& files) {
  std::vector<std::string> urls;
  for (const Listed& file : files) urls.push_back(file.url);
  return urls;
}

std::uint64_t bytes_of(const std::vector<Listed>& files) {
  std::uint64_t bytes = 0;
  for (const Listed& file : files) bytes += file.stat.size;
  return bytes;
}

bool has_compressed(const std::vector<Listed>& files, const Storages& storages) {
  return std::ranges::any_of(files, [&](const Listed& file) {
    const StoredObject object(storages.for_url(file.url), file.url, file.stat);
    return compression_of(kind_of_file(object)) != Compression::none;
  });
}

std::uint64_t bytes_of_rows(const std::vector<Listed>& files, const Storages& storages) {
  return has_compressed(files, storages) ? 0 : bytes_of(files);
}

Inputs open_inputs(const Request& request, const Storages& storages) {
  if (request.reads_program) return open_program(request);
  Inputs inputs;
  inputs.files = list_files(storages, request.inputs);
  require_one_kind(inputs.files);
  inputs.kind = input_kind(inputs.files.front().url);
  require_options_fit(request, inputs.kind);
  if (inputs.kind == InputKind::csv) inputs.rows = open_csv_rows(request, storages, inputs);
  if (inputs.kind == InputKind::json_lines) inputs.rows = open_json_rows(request, storages, inputs);
  if (inputs.kind == InputKind::arrays) inputs.rows = Dataset::arrays(urls_of(inputs.files));
  return inputs;
}

}  // namespace carrack::data::cli
