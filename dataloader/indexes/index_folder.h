// A folder where indexes of any files are found and kept. It is a help: what cannot be read there is passed over, what
// cannot be written is left, and the log has one line on it; but for what others count on. Any number of processes keep
// indexes in it at once: those of one version of a file are the same bytes. Safe from any thread.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "dataloader/indexes/data_files.h"
#include "dataloader/records/index.h"

namespace carrack::data {

class IndexFolder {
 public:
  // The storage must outlive it.
  IndexFolder(Storage& storage, std::string folder, Log log);

  // All that is there now, by name.
  std::map<std::string, Listed> list();
  // Nothing, too, where what is `there` was passed over before.
  std::optional<Index> find(const Listed& file, const std::map<std::string, Listed>& there);
  // The same, asking for this one alone.
  std::optional<Index> find(const Listed& file);

  void publish_best_effort(const std::string& file, const Index& index);
  // The same where others count on it that what is missing is missing: throws an Error where that cannot be known.
  std::optional<Index> find_or_throw(const Listed& file);
  // From now on everybody finds it here. Throws an Error where that cannot be.
  void publish(const Listed& file, const Index& index);

 private:
  std::string url_of(const std::string& name) const { return folder_ + name; }
  std::optional<Index> find(const Listed& file, const Listed& there);
  bool write(const std::string& name, const Index& index, CreateOptions options);
  void log_once(const std::string& line);

  Storage& storage_;
  const std::string folder_;  // with its slash
  const Log log_;
  std::mutex mutex_;                            // of what follows
  std::map<std::string, Version> passed_over_;  // by name
  std::set<std::string> logged_;
  bool writable_ = true;  // as far as is known
};

}  // namespace carrack::data
