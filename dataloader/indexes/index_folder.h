// IndexFolder: reads and writes the indexes in one folder: the one in which the members of a job share them, the cache
// of a machine, or that of an earlier job (IndexingOptions). An index says where each record of a TFRecord file begins.
// Any number of processes may use the folder: indexes of one version of a file are the same bytes, so concurrent writes
// do no harm.
//
// There are two kinds of functions. list(), find() and publish_best_effort() do not throw Error: an index that cannot
// be read counts as absent, an index that cannot be written is dropped, and each such problem is logged once. The other
// two throw Error if the storage fails. Safe for many threads.
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
  // `folder` is a URL without a slash at its end; it need not exist. `storage` must outlive this object.
  IndexFolder(Storage& storage, std::string folder, Log log);

  // Returns all indexes in the folder, by name (index_name()), without reading them; empty if the folder cannot be
  // listed.
  std::map<std::string, Listed> list();
  // Reads the index of the data file `file` if it is in `listed`, a result of list(), which saves a request for each
  // file. Returns nullopt if there is no usable index of this version of the file. An index that was found unusable is
  // not read again until it changes.
  std::optional<Index> find(const Listed& file, const std::map<std::string, Listed>& listed);
  // Does the same without a list.
  std::optional<Index> find(const Listed& file);

  // Writes the index of the data file with the URL `file`. Does not replace an index in the folder, except one that
  // find() has found unusable. After one call has failed, later calls do nothing.
  void publish_best_effort(const std::string& file, const Index& index);
  // Returns the index of this version of `file`; nullopt if the folder has no usable one. Throws an Error if the
  // storage fails, so that this is not known.
  std::optional<Index> find_or_throw(const Listed& file);
  // Returns once the folder has a usable index of this version of `file`, written here or by another process. Replaces
  // an unusable index. Throws an Error if the storage fails.
  void publish(const Listed& file, const Index& index);

 private:
  std::string url_of(const std::string& name) const { return folder_ + name; }
  std::optional<Index> find(const Listed& file, const Listed& listed);
  bool write(const std::string& name, const Index& index, CreateOptions options);
  // Logs the line unless an equal line was logged before.
  void log_once(const std::string& line);

  Storage& storage_;
  const std::string folder_;  // ends with a slash
  const Log log_;
  Mutex mutex_;
  std::map<std::string, Version> unusable_ GUARDED_BY(mutex_);  // versions of unusable indexes, by name
  std::set<std::string> logged_ GUARDED_BY(mutex_);
  bool is_writable_ GUARDED_BY(mutex_) = true;  // false after publish_best_effort() has failed
};

}  // namespace carrack::data
