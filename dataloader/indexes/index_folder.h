// A folder of indexes of any files, shared by any number of processes: indexes of one version of a file are the same
// bytes, so concurrent writes do no harm. Reads and writes are best effort, unless said otherwise: an index that cannot
// be read counts as absent, one that cannot be written is not, and the log gets one line. Safe from any thread.
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
  // `storage` must outlive it.
  IndexFolder(Storage& storage, std::string folder, Log log);

  // All indexes that the folder has now, by name.
  std::map<std::string, Listed> list();
  // The index of `file`, if `listed`, a result of list(), has a usable one. One that was found unusable before is not
  // read again until it changes.
  std::optional<Index> find(const Listed& file, const std::map<std::string, Listed>& listed);
  // The same with one request for this index instead of a list.
  std::optional<Index> find(const Listed& file);

  void publish_best_effort(const std::string& file, const Index& index);
  // nullopt means that the folder has no usable index of `file`. Throws an Error if that cannot be known.
  std::optional<Index> find_or_throw(const Listed& file);
  // Returns once the folder has a usable index of `file`. Throws an Error if it cannot be written.
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
  std::map<std::string, Version> unusable_ GUARDED_BY(mutex_);  // by name
  std::set<std::string> logged_ GUARDED_BY(mutex_);
  bool is_writable_ GUARDED_BY(mutex_) = true;  // until a write fails
};

}  // namespace carrack::data
