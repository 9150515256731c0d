// The files of a snapshot, docs/formats/snapshot.md: TFRecords, and beside them where each begins.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataloader/indexes/data_files.h"
#include "dataloader/indexes/indexed_file.h"
#include "dataloader/pipeline/snapshots/snapshot_folder.h"
#include "dataloader/pipeline/snapshots/snapshot_manifest.h"
#include "dataloader/records/compression.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

class SnapshotShardWriter {
 public:
  // Plain or GZIP.
  SnapshotShardWriter(Storage& storage, std::string url, Compression compression);

  void write(std::span<const std::byte> record);
  // The file, then what lies beside it. A file of that name that is there already is left, and must be the same: throws
  // an Error where it is not.
  SnapshotShard commit();

 private:
  void flush(std::size_t size);
  void put(std::span<const std::byte> bytes);
  void put_beside(const std::string& url, const Index& index);
  ObjectStat stat_of_same();

  Storage& storage_;
  const std::string url_;
  const bool is_gzip_;
  std::unique_ptr<ObjectWriter> object_;
  SnapshotShard shard_;
  std::uint32_t checksum_ = 0;  // of the file
  Bytes frames_;
  std::vector<std::uint64_t> offsets_, members_;
};

// All files of a snapshot, as its manifest has them. Throws an Error where one is not there or another one. An index
// that does not fit, as that of a copy, is made anew, and the log says so.
std::vector<IndexedFile> open_shards(const SnapshotFolder& folder, const SnapshotManifest& manifest,
                                     std::size_t files_at_once, const Log& log);

}  // namespace carrack::data
