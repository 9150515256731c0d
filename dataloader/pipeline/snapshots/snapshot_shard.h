// Writes and opens the files of a snapshot (docs/formats/snapshot.md): TFRecord files, each with an index next to it.
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

// Writes one file and its index. Nothing is visible in storage before commit(), or if commit() is not called. Throws an
// Error if storage fails. Not thread-safe.
class SnapshotShardWriter {
 public:
  // `compression` must be none or gzip. The storage must outlive this object.
  SnapshotShardWriter(Storage& storage, std::string url, Compression compression);

  // Appends a record; call it only before commit().
  void write(std::span<const std::byte> record);
  // Makes the file visible, then writes its index; call it once. If a file of this name exists, does not change it, and
  // throws Refused unless it has the same bytes.
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
  std::uint32_t checksum_ = 0;  // CRC-32C of the file's bytes
  Bytes frames_;
  std::vector<std::uint64_t> offsets_, members_;
};

// Opens all files in the manifest, in their order. Throws Refused if a file is missing or is not as the manifest says.
// If an index does not match its file, as in a copied folder, logs that and computes it by reading the file. The
// storage must outlive the files.
std::vector<IndexedFile> open_shards(const SnapshotFolder& folder, const SnapshotManifest& manifest,
                                     std::size_t files_at_once, const Log& log);

}  // namespace carrack::data
