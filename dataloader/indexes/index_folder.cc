#include "dataloader/indexes/index_folder.h"

#include <utility>

#include "dataloader/error.h"
#include "dataloader/indexes/index_name.h"
#include "dataloader/indexes/stored_index.h"

namespace carrack::data {
namespace {

constexpr int reads_max = 20;  // find_or_throw() reads an index at most this often if other processes replace it.

}  // namespace

IndexFolder::IndexFolder(Storage& storage, std::string folder, Log log)
    : storage_(storage), folder_(std::move(folder) + "/"), log_(std::move(log)) {}

std::map<std::string, Listed> IndexFolder::list() {
  std::map<std::string, Listed> listed;
  try {
    for (Listed& one : storage_.list(index_beside(url_of("*")))) {
      const std::string name = one.url.substr(one.url.rfind('/') + 1);
      listed.emplace(name, std::move(one));
    }
  } catch (const Error& error) {
    log_once("looks for no index in " + folder_ + ": " + error.what());
  }
  return listed;
}

std::optional<Index> IndexFolder::find(const Listed& file, const std::map<std::string, Listed>& listed) {
  const auto found = listed.find(index_name(file.url));
  return found == listed.end() ? std::nullopt : find(file, found->second);
}

std::optional<Index> IndexFolder::find(const Listed& file) {
  const std::string url = url_of(index_name(file.url));
  try {
    const std::optional<ObjectStat> stat = storage_.stat(url);
    return stat ? find(file, Listed{url, *stat}) : std::nullopt;
  } catch (const Error& error) {
    log_once("looks for no index at " + url + ": " + error.what());
    return std::nullopt;
  }
}

std::optional<Index> IndexFolder::find(const Listed& file, const Listed& listed) {
  const std::string name = index_name(file.url);
  {
    MutexLock lock(mutex_);
    const auto before = unusable_.find(name);
    if (before != unusable_.end() && before->second == listed.stat.version) return std::nullopt;
  }
  auto found = read_index(storage_, listed, file);
  if (Index* index = std::get_if<Index>(&found)) return std::move(*index);
  if (std::holds_alternative<Replaced>(found)) return std::nullopt;
  log_once("passes over an index: " + std::get<std::string>(found));
  MutexLock lock(mutex_);
  unusable_[name] = listed.stat.version;
  return std::nullopt;
}

void IndexFolder::publish_best_effort(const std::string& file, const Index& index) {
  const std::string name = index_name(file);
  bool replaces_unusable = false;
  {
    MutexLock lock(mutex_);
    if (!is_writable_) return;
    replaces_unusable = unusable_.contains(name);
  }
  try {
    write(name, index, {.must_not_exist = !replaces_unusable});
  } catch (const Error& error) {
    {
      MutexLock lock(mutex_);
      if (!std::exchange(is_writable_, false)) return;
    }
    log_once("keeps no index in " + folder_ + ": " + error.what());
  }
}

std::optional<Index> IndexFolder::find_or_throw(const Listed& file) {
  const std::string url = url_of(index_name(file.url));
  for (int tries = 0; tries < reads_max; ++tries) {
    const std::optional<ObjectStat> stat = storage_.stat(url);
    if (!stat) return std::nullopt;
    auto found = read_index_or_throw(storage_, {url, *stat}, file);
    if (std::holds_alternative<Replaced>(found)) continue;  // Another process replaced the index after stat().
    if (Index* index = std::get_if<Index>(&found)) return std::move(*index);
    log_once("passes over an index: " + std::get<std::string>(found));
    return std::nullopt;
  }
  throw Error(url + ": changes faster than it can be read");
}

// If the folder has a usable index of this version of `file`, another process of the job has written it, and it stays.
// An index that is damaged, or of another version of the file, is replaced.
void IndexFolder::publish(const Listed& file, const Index& index) {
  const std::string name = index_name(file.url);
  if (write(name, index, {.must_not_exist = true}) || find_or_throw(file)) return;
  write(name, index, {});
}

// Returns false if options.must_not_exist and the folder has an index of this name.
bool IndexFolder::write(const std::string& name, const Index& index, CreateOptions options) {
  const auto writer = storage_.create(url_of(name), options);
  writer->write(encode(index));
  return writer->commit().has_value();
}

void IndexFolder::log_once(const std::string& line) {
  {
    MutexLock lock(mutex_);
    if (!logged_.insert(line).second) return;
  }
  log_(line);
}

}  // namespace carrack::data
