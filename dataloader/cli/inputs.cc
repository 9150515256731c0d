#include "dataloader/cli/inputs.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "dataloader/error.h"
#include "dataloader/indexes/index_name.h"
#include "dataloader/storage/url.h"

namespace carrack::data::cli {
namespace {

Listed one_file(Storage& storage, const std::string& name) {
  if (std::optional<ObjectStat> stat = name.ends_with('/') ? std::nullopt : storage.stat(name))
    return {name, *std::move(stat)};
  std::string folder = name;
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  if (is_folder(storage, folder)) throw Refused(name + ": is a folder; name its files, as in '" + folder + "/*'");
  throw Refused(name + ": there is no such file");
}

std::vector<Listed> matching(Storage& storage, const std::string& pattern) {
  std::vector<Listed> found = storage.list(pattern);
  std::set<std::string> names;
  for (const Listed& file : found) names.insert(file.url);
  std::erase_if(found, [&](const Listed& file) { return names.contains(indexed_file_name(file.url)); });
  if (found.empty()) throw Refused(pattern + ": no file matches");
  return found;
}

}  // namespace

bool is_folder(Storage& storage, const std::string& name) {
  const Url url = url_from(name);
  std::error_code unknown;
  return storage.is_remote() ? !storage.list(name + "/*").empty() : std::filesystem::is_directory(url.name, unknown);
}

std::vector<Listed> files_of(const Storages& storages, const std::vector<std::string>& named) {
  std::vector<Listed> files;
  std::set<std::string> known;
  for (const std::string& name : named) {
    Storage& storage = storages.for_url(name);
    for (Listed& file : has_wildcard(name) ? matching(storage, name) : std::vector{one_file(storage, name)})
      if (known.insert(file.url).second) files.push_back(std::move(file));
  }
  return files;
}

}  // namespace carrack::data::cli
