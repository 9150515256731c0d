// The folder of one snapshot. Names the files in it, and reads and writes its manifest and its parts, which are the
// manifests of single files. The folder is inside that of all snapshots, and its name is the fingerprint of the
// snapshot's origin. Several threads may use a SnapshotFolder at once.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dataloader/indexes/data_files.h"
#include "dataloader/pipeline/snapshots/snapshot_manifest.h"
#include "dataloader/records/compression.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

// What to do about an unusable file, appended to error messages.
inline constexpr const char* remove_hint = "; remove the snapshot's folder, and it is made anew";

class SnapshotFolder {
 public:
  // `all_snapshots` is the URL of the folder of all snapshots. The storage must outlive this.
  SnapshotFolder(Storage& storage, const std::string& all_snapshots, const std::string& fingerprint,
                 Compression compression);

  Storage& storage() const { return storage_; }
  const std::string& url() const { return url_; }
  Compression compression() const { return compression_; }
  std::string shard_url(std::size_t shard) const;

  // nullopt if there is none. Throws a Refused for one that is damaged or has another origin.
  std::optional<SnapshotManifest> manifest(const SnapshotOrigin& origin) const;
  // Likewise for the part of one file.
  std::optional<SnapshotManifest> part(std::size_t shard) const;
  // Which of so many files have a part, from one listing of the folder.
  std::vector<bool> parts(std::size_t shards) const;
  // Logs that the snapshot was made, unless there is a manifest already, which is left as it is.
  void put(const SnapshotManifest& manifest, const Log& log) const;
  void put_part(std::size_t shard, const SnapshotManifest& part) const;

  // Logs, for each other snapshot in the folder of all snapshots, how it differs from the snapshot with these origins:
  // the same one, written in the form of each format version.
  void log_other_snapshots(const std::vector<SnapshotOrigin>& origins, const Log& log) const;

 private:
  std::optional<SnapshotManifest> manifest_at(const std::string& url) const;
  bool put_at(const std::string& url, const SnapshotManifest& manifest) const;
  std::string part_url(std::size_t shard) const;

  Storage& storage_;
  const std::string all_;
  const std::string url_;
  const Compression compression_;
};

}  // namespace carrack::data
