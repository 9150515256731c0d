#include "dataloader/indexes/column_names_file.h"

#include <string_view>
#include <vector>

#include "dataloader/error.h"
#include "dataloader/indexes/index_name.h"
#include "dataloader/records/wire.h"
#include "dataloader/sources/json_scanner.h"
#include "dataloader/text.h"

namespace carrack::data {
namespace {

constexpr std::uint64_t bytes_max = std::uint64_t{16} << 20;

// Reads a list of at least one string. Returns false if the text is not such a list.
bool read_names(JsonScanner& json, std::vector<std::string>& names) {
  if (!json.take('[')) return false;
  do {
    const auto name = json.string();
    if (!name) return false;
    names.emplace_back(*name);
  } while (json.take(','));
  return json.take(']');
}

}  // namespace

std::string column_names_text(const ColumnNames& names) {
  std::vector<std::string> features;
  for (const auto& [feature, columns] : names)
    features.push_back(json_string(feature) + ": [" + joined(json_words(columns), ", ") + "]");
  return "{" + joined(features, ", ") + "}\n";
}

std::optional<ColumnNames> parse_column_names(std::string text) {
  JsonScanner json(text);
  ColumnNames names;
  const auto read = [&](std::string_view feature) { return read_names(json, names[std::string(feature)]); };
  if (!read_object(json, read) || !json.at_end()) return std::nullopt;
  return names;
}

ColumnNames read_column_names(Storage& storage, const std::string& file) {
  const std::string name = columns_beside(file);
  const std::optional<Bytes> bytes = read_whole(storage, name, {.bytes_max = bytes_max});
  if (!bytes) return {};
  std::optional<ColumnNames> names = parse_column_names(std::string(wire::text_of(*bytes)));
  if (!names) throw Error(name + ": holds no names of columns as `carrack data convert` writes them; remove it");
  return *std::move(names);
}

}  // namespace carrack::data
