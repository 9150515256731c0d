// How files of rows in text are opened: the rest of stages.h.
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
#include "dataloader/pipeline/stages/stages.h"
#include "dataloader/pipeline/stages/text_rows.h"
#include "dataloader/sources/json_lines_reader.h"

namespace carrack::data {
namespace {

using Sources = std::vector<std::shared_ptr<const ByteSource>>;

struct TextKind {
  std::string name;
  OpenText open;       // a file, from its beginning
  OpenText open_rows;  // rows of any of the files, without what stands before them
  bool may_run_on = false;
};

Sources sources_of(const std::vector<Listed>& files, const Storages& storages) {
  Sources sources;
  for (const Listed& file : files)
    sources.push_back(std::make_shared<StoredObject>(storages.for_url(file.url), file.url, file.stat));
  return sources;
}

// Looks at how each begins. Whether all of them can be read from any place on.
bool are_plain(const Sources& files, const TextKind& kind, const std::vector<Feature>& features) {
  bool plain = true;
  for (const auto& file : files) {
    const std::unique_ptr<RowReader> reader = kind.open(*file, features, {});
    if (const std::optional<Corrupt> fault = reader->begin()) throw Error(text(*fault));
    plain = plain && reader->resume() == Seek::at_once;
  }
  return plain;
}

std::vector<IndexedFile> with_indexes(const std::vector<Listed>& files, const TextKind& kind,
                                      const OpenContext& context) {
  std::vector<std::size_t> all(files.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<std::optional<Index>> indexes(files.size());
  for_each_parallel(all, context.workers.threads(), [&](std::size_t i) {
    const StoredObject file(context.storages.for_url(files[i].url), files[i].url, files[i].stat);
    auto index = row_index(file, kind.open);
    if (const Corrupt* corrupt = std::get_if<Corrupt>(&index)) throw Error(text(*corrupt));
    indexes[i] = std::get<Index>(std::move(index));
    return true;
  });
  std::vector<IndexedFile> indexed;
  for (std::size_t i = 0; i < files.size(); ++i)
    indexed.push_back(
        {std::make_unique<StoredObject>(context.storages.for_url(files[i].url), files[i].url, files[i].stat),
         *std::move(indexes[i])});
  return indexed;
}

Opened open_text(const TextKind& kind, const std::vector<Listed>& files, const std::vector<Feature>& features,
                 const OpenContext& context) {
  const Sources sources = sources_of(files, context.storages);
  Opened opened;
  if (are_plain(sources, kind, features)) {
    std::vector<IndexedFile> indexed = with_indexes(files, kind, context);
    const SequencePtr rows = context.profile.timed(
        kind.name, records_of(std::move(indexed), {are_far(context.storages, files), context.cache_bytes, false}));
    opened.sequence = mapped(
        rows, context.profile.timed("parse " + kind.name, parse_text(kind.open_rows, features, kind.may_run_on)));
  } else {
    opened.stream = context.profile.timed(kind.name, [sources, open = kind.open, features](std::uint64_t) {
      return text_stream(sources, open, features);
    });
  }
  opened.contents = versions_of(files);
  opened.files = files.size();
  opened.file_bytes = bytes_in(files);
  opened.is_far = are_far(context.storages, files);
  return opened;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + name + "\"";
  return text;
}

// Of all files that hold any; nothing where none does.
std::optional<std::vector<std::string>> columns_of(const Sources& files, const CsvOptions& options) {
  std::optional<std::vector<std::string>> columns;
  const ByteSource* first = nullptr;
  for (const auto& file : files) {
    auto found = csv_columns(*file, options);
    if (const Corrupt* corrupt = std::get_if<Corrupt>(&found)) throw Error(text(*corrupt));
    auto& names = std::get<std::vector<std::string>>(found);
    if (names.empty()) continue;
    if (columns && *columns != names)
      throw Error(file->name() + ": its columns are " + listed(names) + ", and those of " + first->name() + " are " +
                  listed(*columns) + "; files that are read together have the same");
    columns = std::move(names);
    first = file.get();
  }
  return columns;
}

}  // namespace

Opened open_csv(const std::vector<std::string>& patterns, const std::vector<Feature>& features,
                const CsvOptions& options, const OpenContext& context) {
  const auto open_by = [](CsvOptions how) {
    return [how](const ByteSource& file, const std::vector<Feature>& asked, TextPlace from) {
      CsvOptions at = how;
      at.from = from;
      return std::make_unique<CsvReader>(file, asked, std::move(at));
    };
  };
  const std::vector<Listed> files = source_files(context.storages, patterns);
  CsvOptions rows = options;
  rows.columns = columns_of(sources_of(files, context.storages), options);
  return open_text({"csv", open_by(options), open_by(rows), true}, files, features, context);
}

Opened open_json_lines(const std::vector<std::string>& patterns, const std::vector<Feature>& features,
                       const OpenContext& context) {
  const OpenText open = [](const ByteSource& file, const std::vector<Feature>& asked, TextPlace from) {
    return std::make_unique<JsonLinesReader>(file, asked, JsonLinesOptions{.from = from});
  };
  const std::vector<Listed> files = source_files(context.storages, patterns);
  return open_text({"json lines", open, open, false}, files, features, context);
}

}  // namespace carrack::data
