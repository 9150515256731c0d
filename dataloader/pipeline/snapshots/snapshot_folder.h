// SnapshotFolder: the folder of one snapshot in storage (docs/formats/snapshot.md). It names the snapshot's files, and
// reads and writes its manifest and its parts. The manifest lists all files, and is written last: a snapshot without it
// is incomplete. A part is the manifest of a single file, by which processes that write the snapshot together know
// which files are complete. The folder is ALL_SNAPSHOTS/FINGERPRINT, for example:
//
//   gs://bucket/snapshots/0123456789abcdef/manifest
//   gs://bucket/snapshots/0123456789abcdef/rows-00000.tfrecord         shard_url(0)
//   gs://bucket/snapshots/0123456789abcdef/rows-00000.tfrecord.part    part(0)
//
// Thread-safe. All functions that use storage throw an Error if it fails.
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

// Appended to the messages of errors about an unusable file: what the user can do.
inline constexpr const char* remove_hint = "; remove the snapshot's folder, and it is made again";

class SnapshotFolder {
 public:
  // `all_snapshots` is the URL of the folder of all snapshots; slashes at its end are ignored. `fingerprint` is
  // fingerprint_of() the snapshot's origin (snapshot_manifest.h), the name of the folder. Nothing is read or made here.
  // The storage must outlive this object.
  SnapshotFolder(Storage& storage, const std::string& all_snapshots, const std::string& fingerprint,
                 Compression compression);

  Storage& storage() const { return storage_; }
  const std::string& url() const { return url_; }
  Compression compression() const { return compression_; }
  // The URL of a file of records (a shard), numbered from 0; the file need not exist.
  std::string shard_url(std::size_t shard) const;

  // Reads the manifest. Returns nullopt if it does not exist: the snapshot is then missing or incomplete. Throws
  // Refused if it is damaged or has another origin.
  std::optional<SnapshotManifest> manifest(const SnapshotOrigin& origin) const;
  // Reads the part of one file. Returns nullopt if it does not exist. Throws Refused if it is damaged or is not for one
  // file.
  std::optional<SnapshotManifest> part(std::size_t shard) const;
  // Returns for each of the first `shards` files whether its part exists, so whether the file is complete. Lists the
  // folder once, and reads no part.
  std::vector<bool> parts(std::size_t shards) const;
  // Writes the manifest and logs that the snapshot was made. If a manifest exists, changes and logs nothing.
  void put(const SnapshotManifest& manifest, const Log& log) const;
  // Writes the part of one file, unless it exists.
  void put_part(std::size_t shard, const SnapshotManifest& part) const;

  // Explains to the user why a snapshot is written although there are others: logs, for each snapshot in the folder of
  // all snapshots, how it differs from the requested one. Call it only if manifest() returned nullopt. `origins` has
  // one origin of the requested snapshot for each version of the format, at least one. A manifest that cannot be read
  // is logged, too. Throws an Error if the folder cannot be listed.
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
