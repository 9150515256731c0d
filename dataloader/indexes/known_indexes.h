// The indexes of a data set as far as they are known: found beside the files, in the folder that all members of a job
// share, in that of the job that this one resumes from, or in a cache of this machine. Finds indexes that others have
// published since, and publishes those built here. Several threads may use it for different files at once.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "dataloader/indexes/index_folder.h"
#include "dataloader/indexes/indexed_file.h"
#include "dataloader/indexes/indexed_files.h"
#include "dataloader/records/inflated_source.h"

namespace carrack::data {

class KnownIndexes {
 public:
  // Looks in all places. The storages must outlive it.
  KnownIndexes(StorageFor storage_for, std::vector<DataFile> files, const Indexing& options);

  std::size_t files() const { return files_.size(); }
  const Listed& file(std::size_t i) const { return files_[i].file; }
  // The file as it is stored.
  std::unique_ptr<const ByteSource> source(std::size_t i) const;
  // The bytes that the file's index is of: those of the file, inflated if it is compressed. The index must be known.
  std::unique_ptr<const ByteSource> indexed_source(std::size_t i) const;
  // nullptr if it is not known.
  const Index* index(std::size_t i) const { return found_[i] ? &*found_[i] : nullptr; }
  // Those of the files `among` whose index is not known.
  std::vector<std::size_t> missing(std::vector<std::size_t> among) const;
  std::vector<std::size_t> missing() const;  // among all files

  // True if the index is known, or can be found in the folders now. Best effort: an index that cannot be read counts as
  // unknown.
  bool known(std::size_t i);
  // The same, but throws an Error if the shared folder cannot be read. Requires a shared folder.
  bool known_or_throw(std::size_t i);
  // Looks for the indexes of many files, with one list of each folder. Best effort.
  void refresh(const std::vector<std::size_t>& files);

  // Adds an index that was built here, and writes it to the cache.
  void add(std::size_t i, Index index);
  // Writes a known index to the shared folder, if there is one. A failure is logged.
  void publish_best_effort(std::size_t i);
  // Writes a known index to the shared folder. Throws an Error if it cannot be written. Requires a shared folder.
  void publish(std::size_t i);

  // All files. No index may be missing. Logs one line if records of a compressed file take long to reach.
  std::vector<IndexedFile> indexed() &&;
  std::vector<IndexedFile> indexed() const&;

 private:
  using Folder = std::unique_ptr<IndexFolder>;  // nullptr: not used

  std::optional<Index> beside(const DataFile& data) const;
  void log_slow_files() const;
  void refresh_from(const Folder& folder, const std::vector<std::size_t>& files, bool is_shared);

  StorageFor storage_for_;
  std::vector<DataFile> files_;
  Log log_;
  Folder shared_, resumed_, cache_;
  std::vector<std::optional<Index>> found_;
  std::shared_ptr<WaitingInflaters> inflaters_ = std::make_shared<WaitingInflaters>();
  std::vector<char> is_published_;  // in the shared folder; char, as different threads write different elements
};

}  // namespace carrack::data
