// A folder of indexes, shared by any number of processes: indexes of one version of a file are the same bytes, so
// concurrent writes do no harm. list(), find() and publish_best_effort() do not throw: an index that cannot be read
// counts as absent, an index that cannot be written is dropped, and the log gets one line. Safe from any thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "dataloader/indexes/data_files.h"
#include "dataloader/mutex.h"
#include "dataloader/records/index.h"

namespace carrack::data {

class IndexFolder {
 public:
  // `folder` is a URL without a slash at its end. `storage` must outlive this object.
  IndexFolder(Storage& storage, std::string folder, Log log);

  // Returns all indexes in the folder, by name, without reading them.
  std::map<std::string, Listed> list();
  // Reads the index of `file` if it is in `listed`, a result of list(). Returns nullopt without a usable index. An
  // index that was found unusable is not read again until it changes.
  std::optional<Index> find(const Listed& file, const std::map<std::string, Listed>& listed);
  // Does the same with one request for this index instead of a list.
  std::optional<Index> find(const Listed& file);

  // Writes the index, unless the folder has one that find() has not found unusable. After a failure, later calls do
  // nothing.
  void publish_best_effort(const std::string& file, const Index& index);
  // Returns nullopt if the folder has no usable index of `file`. Throws an Error if that cannot be determined.
  std::optional<Index> find_or_throw(const Listed& file);
  // Returns once the folder has a usable index of `file`, written here or by another process. Throws an Error if it
  // cannot be written.
  void publish(const Listed& file, const Index& index);

 private:
  std::string url_of(const std::string& name) const { return folder_ + name; }
  std::optional<Index> find(const Listed& file, const Listed& listed);
  bool write(const std::string& name, const Index& index, CreateOptions options);
  void log_once(const std::string& line);

  Storage& storage_;
  const std::string folder_;  // ends with a slash
  const Log log_;
  Mutex mutex_;
  std::map<std::string, Version> unusable_ GUARDED_BY(mutex_);  // versions of indexes, by name
  std::set<std::string> logged_ GUARDED_BY(mutex_);
  bool is_writable_ GUARDED_BY(mutex_) = true;  // until a write fails
};

}  // namespace carrack::data
