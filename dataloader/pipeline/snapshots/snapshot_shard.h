// Writes and opens the files of a snapshot (docs/formats/snapshot.md): TFRecord files, each with an index next to it. A
// GZIP file consists of many members, each of 256 KiB before compression, so that it can be read at any place.
#pragma once

#include <cstdint>
#include <functional>
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

// Writes one file and its index. Nothing is visible in storage before commit(), or if commit() is not called. All
// functions throw an Error if storage fails. Not thread-safe.
class SnapshotShardWriter {
 public:
  // `compression` must be none or gzip. The storage must outlive this object.
  SnapshotShardWriter(Storage& storage, std::string url, Compression compression);

  // Appends a record; call it only before commit().
  void write(std::span<const std::byte> record);
  // Makes the file visible, then writes its index, and returns what the manifest says about the file; its `lost` is 0.
  // Call it once. If a file of this name exists, as another process has written it, does not change that file, and
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

// Opens all files in the manifest, and returns them in their order. At most `files_at_once` are opened at the same
// time. Throws Refused if a file, or the list of members next to a GZIP file, is missing or not as expected. If an
// index is missing or does not match its file, as in a copied folder, computes it by reading the file, and logs a
// mismatch. Calls `opened` after each file, on any thread, one call at a time. The storage must outlive the files.
std::vector<IndexedFile> open_shards(
    const SnapshotFolder& folder, const SnapshotManifest& manifest, std::size_t files_at_once, const Log& log,
    const std::function<void()>& opened = [] {});

}  // namespace carrack::data
