#include "dataloader/pipeline/stages/text_stages.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/execution/parallel.h"
#include "dataloader/indexes/indexed_file.h"
#include "dataloader/pipeline/sequences/record_sequence.h"
#include "dataloader/pipeline/sequences/source_files.h"
#include "dataloader/pipeline/stages/text_rows.h"
#include "dataloader/pipeline/streams/derived_streams.h"

namespace carrack::data {
namespace {

using Sources = std::vector<std::shared_ptr<const ByteSource>>;

// A format of text files, with the options of its stage.
struct TextKind {
  std::string name;
  OpenText open;       // opens a file at its beginning
  OpenText open_rows;  // opens rows from the middle of a file, without a header
  bool quotes_span_rows = false;
};

Sources sources_of(const std::vector<Listed>& files, const Storages& storages) {
  Sources sources;
  for (const Listed& file : files) sources.push_back(source_of(storages, file));
  return sources;
}

// Returns whether all files can be read from any offset, which compressed files cannot. Reads the beginning of each
// file.
bool are_all_seekable(const Sources& files, const TextKind& kind, const std::vector<Feature>& features) {
  bool is_seekable = true;
  for (const auto& file : files) {
    const std::unique_ptr<RowReader> reader = kind.open(*file, features, {});
    if (const std::optional<Corrupt> fault = reader->begin()) throw Error(text(*fault));
    is_seekable = is_seekable && reader->resume() == Seek::at_once;
  }
  return is_seekable;
}

// Reads all files once, several at the same time, to find where their rows begin.
std::vector<IndexedFile> index_rows(const std::vector<Listed>& files, const TextKind& kind,
                                    const OpenContext& context) {
  std::vector<std::size_t> all(files.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<std::optional<Index>> indexes(files.size());
  // map_in_order() is not used here, because the files after a large file would wait for it.
  for_each_parallel(all, context.workers.threads(), [&](std::size_t i) {
    indexes[i] = value_or_throw(row_index(*source_of(context.storages, files[i]), kind.open));
    return true;
  });
  std::vector<IndexedFile> indexed;
  for (const std::size_t i : all) indexed.push_back({source_of(context.storages, files[i]), *std::move(indexes[i])});
  return indexed;
}

Opened open_text(const TextKind& kind, const std::vector<Listed>& files, const std::vector<Feature>& features,
                 const OpenContext& context) {
  const Facts facts = facts_of(context.storages, files);
  const Sources sources = sources_of(files, context.storages);
  if (!are_all_seekable(sources, kind, features)) {
    const OpenStream stream = [sources, open = kind.open, features](std::uint64_t) {
      return text_stream(sources, open, features);
    };
    return opened_stream(cut_at_damage(context.profile.timed(kind.name, stream), context.on_damage), 0, facts);
  }
  const Sequence rows = context.profile.timed(
      kind.name, record_sequence(index_rows(files, kind, context), {facts.is_remote, context.cache_bytes, false}));
  const RowsFunction parse = parse_text(kind.open_rows, features, kind.quotes_span_rows);
  return opened_sequence(mapped(rows, context.profile.timed("parse " + kind.name, parse)), facts);
}

// Returns a function that opens a file with a Reader and these options, at the place that its caller passes.
template <typename Reader, typename Options>
OpenText opened_by(const Options& options) {
  return [options](const ByteSource& file, const std::vector<Feature>& features, TextPlace from) {
    Options at = options;
    at.from = from;
    return std::make_unique<Reader>(file, features, std::move(at));
  };
}

std::string quoted(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + name + "\"";
  return text;
}

// Returns the names of the columns, which must be the same in all files; nullopt if no file has a line.
std::optional<std::vector<std::string>> columns_of(const Sources& files, const CsvOptions& options) {
  std::optional<std::vector<std::string>> columns;
  const ByteSource* first = nullptr;
  for (const auto& file : files) {
    std::vector<std::string> names = value_or_throw(csv_columns(*file, options));
    if (names.empty()) continue;
    if (columns && *columns != names)
      throw Error(file->name() + ": its columns are " + quoted(names) + ", and those of " + first->name() + " are " +
                  quoted(*columns) + "; files that are read together have the same");
    columns = std::move(names);
    first = file.get();
  }
  return columns;
}

}  // namespace

namespace stages {

std::string Csv::canonical() const {
  CanonicalStage stage(kind);
  stage.add("file", patterns).add("delimiter", std::string(1, options.delimiter));
  if (options.columns) stage.add("column", *options.columns);
  return stage.add("missing", options.missing).add(features).text();
}

std::string Csv::file_options() const {
  std::string text = join(patterns) + ", by '" + options.delimiter + "'";
  if (options.columns) text += ", columns " + join(*options.columns);
  if (!options.missing.empty()) text += ", missing " + join(options.missing);
  return text;
}

Opened Csv::open(const OpenContext& context) const {
  const std::vector<Listed> files = source_files(context.storages, patterns);
  CsvOptions without_header = options;
  without_header.columns = columns_of(sources_of(files, context.storages), options);
  return open_text({"csv", opened_by<CsvReader>(options), opened_by<CsvReader>(without_header), true}, files, features,
                   context);
}

std::string JsonLines::canonical() const {
  return CanonicalStage("json_lines").add("file", patterns).add("missing", options.missing).add(features).text();
}

std::string JsonLines::file_options() const {
  return join(patterns) + (options.missing.empty() ? "" : ", missing " + join(options.missing));
}

Opened JsonLines::open(const OpenContext& context) const {
  const OpenText open_file = opened_by<JsonLinesReader>(options);
  const std::vector<Listed> files = source_files(context.storages, patterns);
  return open_text({"json lines", open_file, open_file, false}, files, features, context);
}

}  // namespace stages
}  // namespace carrack::data
