// The indexes of a data set as far as they are known: found beside the files, in the folder that all members of a job
// share, in that of a job which this one goes on from, or in a cache of this machine. Looks again for what others have
// kept since, and keeps what was built here. Different files by different threads.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataloader/indexes/index_folder.h"
#include "dataloader/indexes/indexed_file.h"
#include "dataloader/indexes/indexed_files.h"

namespace carrack::data {

class KnownIndexes {
 public:
  // Looks everywhere. The storages outlive it.
  KnownIndexes(StorageFor storage_for, std::vector<DataFile> files, const Indexing& how);

  std::size_t files() const { return files_.size(); }
  const Listed& file(std::size_t i) const { return files_[i].file; }
  std::unique_ptr<const ByteSource> source(std::size_t i) const;
  // Nothing where it is not known.
  const Index* index(std::size_t i) const { return found_[i] ? &*found_[i] : nullptr; }
  std::vector<std::size_t> missing(std::vector<std::size_t> among) const;
  std::vector<std::size_t> missing() const;

  // Whether it is known, or others have kept it by now.
  bool known(std::size_t i);
  // The same where nobody may take it for missing if it is there: throws an Error where that cannot be known.
  bool known_or_throw(std::size_t i);
  // Which of many are known by now, in one look.
  void refresh(const std::vector<std::size_t>& wanted);

  void add(std::size_t i, Index index);
  // Has others find what is known, as a help, where it can be kept.
  void publish_best_effort(std::size_t i);
  // The same where others count on it: throws an Error where it cannot be kept.
  void publish(std::size_t i);

  // All files, where none is missing.
  std::vector<IndexedFile> indexed() &&;
  std::vector<IndexedFile> indexed() const&;

 private:
  using Folder = std::unique_ptr<IndexFolder>;  // nothing: there is none

  std::optional<Index> beside(const DataFile& data) const;
  void refresh_from(const Folder& folder, const std::vector<std::size_t>& wanted, bool is_shared);

  StorageFor storage_for_;
  std::vector<DataFile> files_;
  Log log_;
  Folder shared_, resumed_, cache_;
  std::vector<std::optional<Index>> found_;
  std::vector<char> is_published_;  // it is in the shared folder
};

}  // namespace carrack::data
