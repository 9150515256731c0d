// KnownIndexes: the files of a data set, and those of their indexes that this process has loaded so far. It builds no
// index; indexed_files() and the first pass (the first epoch of a job whose data is not indexed yet) use it to do that.
//
// The constructor loads the indexes that exist next to the files, in the folder that all members (processes) of a job
// share, in the folder of the job that this one resumes from, and in a cache of this machine. Later look_up() and
// refresh() load indexes that other members have published, and add() and publish() store indexes that were built here.
// Several threads may use it at the same time for different files; missing() without an argument and indexed() use all
// files.
#pragma once

#include <cstddef>
#include <functional>
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
  // Loads the indexes from all these places, which blocks; a folder of `options` whose URL is empty is not used. The
  // storages must outlive this object and the sources that it returns. Throws an Error if `storage_for` has no storage
  // for a URL; an index that cannot be read counts as missing. In all functions `i` is the number of a file in `files`,
  // from 0.
  KnownIndexes(StorageFor storage_for, std::vector<DataFile> files, const IndexingOptions& options);

  std::size_t files() const { return files_.size(); }
  const Listed& file(std::size_t i) const { return files_[i].file; }
  // Returns a source of the bytes of the file as they are stored.
  std::unique_ptr<const ByteSource> source(std::size_t i) const;
  // Returns a source of the bytes that the index describes: inflated if the file is compressed. The index must be
  // known.
  std::unique_ptr<const ByteSource> indexed_source(std::size_t i) const;
  // Returns the index, which this object owns; nullptr if it is not known. Does not read storage.
  const Index* index(std::size_t i) const { return found_[i] ? &*found_[i] : nullptr; }
  // Returns the numbers of `among` whose index is not known.
  std::vector<std::size_t> missing(std::vector<std::size_t> among) const;
  std::vector<std::size_t> missing() const;  // all files whose index is not known

  // If the index is not known yet, looks in the shared folder and that of the resumed job, and loads it. Returns
  // whether it is known now. An index that cannot be read counts as not known.
  bool look_up(std::size_t i);
  // Does the same, but throws an Error if the shared folder cannot be read. Call it only if options.shared is set.
  bool look_up_or_throw(std::size_t i);
  // Calls look_up() for each of these files, with one listing of each folder instead of a request for each file.
  void refresh(const std::vector<std::size_t>& files);

  // Adds an index that was built here, and writes it to the cache, if there is one. A failure to write is logged.
  void add(std::size_t i, Index index);
  // Writes a known index to the shared folder, if there is one. A failure is logged.
  void publish_best_effort(std::size_t i);
  // Writes a known index to the shared folder, unless it is known to be there. Throws an Error if it cannot be written.
  // Call it only if options.shared is set.
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
  std::function<void()> on_look_up_;
  Folder shared_, resumed_, cache_;
  std::vector<std::optional<Index>> found_;
  std::shared_ptr<InflaterCache> inflaters_ = std::make_shared<InflaterCache>();
  std::vector<char> is_published_;  // is in the shared folder; not bool, as threads write different elements
};

}  // namespace carrack::data
