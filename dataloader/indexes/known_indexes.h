// KnownIndexes: the indexes of a data set that are known so far. They are found next to the files, in the folder that
// all members of a job share, in the folder of the job that this one resumes from, or in a cache of this machine. Later
// calls find indexes that others have published, and publish indexes that were built here. Several threads may use it
// at the same time for different files; missing() without an argument and indexed() use all files.
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
  // Looks in all these places; a folder of `options` whose URL is empty is not used. The storages must outlive this
  // object and the sources that it returns. Throws an Error if `storage_for` has no storage for a URL. Files are
  // numbered as in `files`, from 0; in all functions `i` is the number of a file.
  KnownIndexes(StorageFor storage_for, std::vector<DataFile> files, const Indexing& options);

  std::size_t files() const { return files_.size(); }
  const Listed& file(std::size_t i) const { return files_[i].file; }
  // Returns the bytes of the file as they are stored.
  std::unique_ptr<const ByteSource> source(std::size_t i) const;
  // Returns the bytes that the index describes: inflated if the file is compressed. The index must be known.
  std::unique_ptr<const ByteSource> indexed_source(std::size_t i) const;
  // Returns nullptr if the index is not known.
  const Index* index(std::size_t i) const { return found_[i] ? &*found_[i] : nullptr; }
  // Returns the numbers of `among` whose index is not known.
  std::vector<std::size_t> missing(std::vector<std::size_t> among) const;
  std::vector<std::size_t> missing() const;  // all files whose index is not known

  // Looks for the index in the shared and the resumed folder if it is not known yet. Returns true if it is known then.
  // An index that cannot be read counts as unknown.
  bool known(std::size_t i);
  // Does the same, but throws an Error if the shared folder cannot be read. Needs options.shared.
  bool known_or_throw(std::size_t i);
  // Looks for the unknown indexes of these files as known() does, but lists each folder only once.
  void refresh(const std::vector<std::size_t>& files);

  // Adds an index that was built here, and writes it to the cache, if there is one. A failure to write is logged.
  void add(std::size_t i, Index index);
  // Writes a known index to the shared folder, if there is one. A failure is logged.
  void publish_best_effort(std::size_t i);
  // Writes a known index to the shared folder, unless it is known to be there. Throws an Error if it cannot be written.
  // Needs options.shared.
  void publish(std::size_t i);

  // Returns all files in their order, each with its index. No index may be missing. The first function moves the
  // indexes out, so this object can only be destroyed afterwards. Logs one line if records of a compressed file take
  // long to reach, because the places where inflating can begin are far apart.
  std::vector<IndexedFile> indexed() &&;
  std::vector<IndexedFile> indexed() const&;

 private:
  using Folder = std::unique_ptr<IndexFolder>;  // nullptr: not used

  // Returns the index next to the file; nullopt if there is no usable one.
  std::optional<Index> beside(const DataFile& data) const;
  void log_slow_files() const;
  void refresh_from(const Folder& folder, const std::vector<std::size_t>& files, bool is_shared);

  StorageFor storage_for_;
  std::vector<DataFile> files_;
  Log log_;
  Folder shared_, resumed_, cache_;
  std::vector<std::optional<Index>> found_;
  std::shared_ptr<WaitingInflaters> inflaters_ = std::make_shared<WaitingInflaters>();
  std::vector<char> is_published_;  // is in the shared folder; not bool, as threads write different elements
};

}  // namespace carrack::data
