// Writes and opens the files of a snapshot, docs/formats/snapshot.md: TFRecords, and for each an index beside it.
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
  // Compression is none or gzip. The storage must outlive this.
  SnapshotShardWriter(Storage& storage, std::string url, Compression compression);

  void write(std::span<const std::byte> record);
  // Writes the file, then its index. If there is a file of this name already, it is left as it is and must have the
  // same bytes: throws a Refused otherwise.
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
  std::uint32_t checksum_ = 0;  // of the file's bytes
  Bytes frames_;
  std::vector<std::uint64_t> offsets_, members_;
};

// Opens all files that the manifest names. Throws a Refused if one is missing or is not what the manifest says. An
// index that does not match its file, e.g. in a copied folder, is computed again, which is logged.
std::vector<IndexedFile> open_shards(const SnapshotFolder& folder, const SnapshotManifest& manifest,
                                     std::size_t files_at_once, const Log& log);

}  // namespace carrack::data
