#include "dataloader/storage/file/file_list.h"

#include <algorithm>
#include <filesystem>

#include "dataloader/storage/file/descriptor.h"
#include "dataloader/storage/file/temporary_file.h"
#include "dataloader/storage/url.h"

namespace carrack::data {
namespace {

using std::filesystem::directory_entry;

bool is_hidden(const std::string& name) {
  return name.starts_with(temporary_prefix);
}

// Adds all matching files below the folder. `folder` is written as in the pattern, with a slash at its end; empty for
// the current folder.
void search_all(const std::string& folder, const std::string& pattern, std::vector<std::string>& found) {
  for (const directory_entry& entry : entries_in(folder.empty() ? "." : folder)) {
    const std::string name = entry.path().filename().string();
    const std::string path = folder + name;
    std::error_code gone;  // ignored: a file may be removed after the listing, and a link may point nowhere
    if (entry.is_directory(gone) && !entry.is_symlink(gone)) {
      search_all(path + "/", pattern, found);
    } else if (entry.is_regular_file(gone) && !is_hidden(name) && matches(pattern, path)) {
      found.push_back(path);
    }
  }
}

// Adds the files that match the pattern. `folder` matches the part of the pattern before position `at`.
void search(const std::string& folder, std::size_t at, const std::string& pattern, std::vector<std::string>& found) {
  const std::size_t slash = pattern.find('/', at);
  const std::string part = pattern.substr(at, slash == std::string::npos ? slash : slash - at);
  if (part.find("**") != std::string::npos) return search_all(folder, pattern, found);
  const bool last = slash == std::string::npos;
  if (!has_wildcard(part)) {
    if (!last) return search(folder + part + "/", slash + 1, pattern, found);
    if (!part.empty() && !is_hidden(part)) found.push_back(folder + part);
    return;
  }
  for (const directory_entry& entry : entries_in(folder.empty() ? "." : folder)) {
    const std::string name = entry.path().filename().string();
    std::error_code gone;
    if (!matches(part, name)) continue;
    if (!last && entry.is_directory(gone)) search(folder + name + "/", slash + 1, pattern, found);
    if (last && entry.is_regular_file(gone) && !is_hidden(name)) found.push_back(folder + name);
  }
}

}  // namespace

std::vector<std::string> paths_matching(const std::string& pattern) {
  std::vector<std::string> found;
  search("", 0, pattern, found);
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace carrack::data
