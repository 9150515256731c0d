// The indexes of a data set that are known so far: found next to the files, in the folder that all members of a job
// share, in the folder of the job that this one resumes from, or in a cache of this machine. Later finds indexes that
// others have published, and publishes those built here. Several threads may use it at once for different files;
// missing() without files and indexed() use all of them.
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
  // Looks in all these places. The storages must outlive this and the sources. Throws an Error if it has no storage for
  // a URL.
  KnownIndexes(StorageFor storage_for, std::vector<DataFile> files, const Indexing& options);

  std::size_t files() const { return files_.size(); }
  const Listed& file(std::size_t i) const { return files_[i].file; }
  // Returns the bytes of the file as they are stored.
  std::unique_ptr<const ByteSource> source(std::size_t i) const;
  // Returns the bytes that the index describes: inflated if the file is compressed. The index must be known.
  std::unique_ptr<const ByteSource> indexed_source(std::size_t i) const;
  // Returns nullptr if the index is not known.
  const Index* index(std::size_t i) const { return found_[i] ? &*found_[i] : nullptr; }
  // Returns the files of `among` whose index is not known.
  std::vector<std::size_t> missing(std::vector<std::size_t> among) const;
  std::vector<std::size_t> missing() const;  // among all files

  // If the index is not known, looks for it in the shared and the resumed folder. Returns true if it is known then. An
  // index that cannot be read counts as unknown.
  bool known(std::size_t i);
  // Does the same, but throws an Error if the shared folder cannot be read. Requires a shared folder.
  bool known_or_throw(std::size_t i);
  // Looks for the indexes of many files as known() does, with one list of each folder.
  void refresh(const std::vector<std::size_t>& files);

  // Adds an index that was built here, and writes it to the cache.
  void add(std::size_t i, Index index);
  // Writes a known index to the shared folder, if there is one. A failure is logged.
  void publish_best_effort(std::size_t i);
  // Writes a known index to the shared folder. Throws an Error if it cannot be written. Requires a shared folder.
  void publish(std::size_t i);

  // Returns all files in their order. No index may be missing. Logs one line if records of a compressed file take long
  // to reach.
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
  std::vector<char> is_published_;  // in the shared folder; not bool, as different threads write different elements
};

}  // namespace carrack::data
