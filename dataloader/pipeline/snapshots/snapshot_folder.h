// Where one snapshot lies: a folder called after what it is made of, in the folder of all of them. The names of its
// files, and the texts that say which of them count.
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

// What to do where something in the folder cannot be used.
inline constexpr const char* made_anew = "; remove the snapshot's folder, and it is made anew";

class SnapshotFolder {
 public:
  // The storage must outlive it.
  SnapshotFolder(Storage& storage, const std::string& all, const std::string& fingerprint, Compression compression);

  Storage& storage() const { return storage_; }
  const std::string& url() const { return url_; }
  Compression compression() const { return compression_; }
  std::string shard_url(std::size_t shard) const;

  // Both throw a Refused where there is one that cannot be used; a manifest, too, where it is of another origin.
  std::optional<SnapshotManifest> manifest(const SnapshotOrigin& origin) const;
  std::optional<SnapshotManifest> part(std::size_t shard) const;
  // Of so many files, which have a part; in one look.
  std::vector<bool> parts(std::size_t shards) const;
  // False where there is one, which stays.
  bool put(const SnapshotManifest& manifest) const;
  void put_part(std::size_t shard, const SnapshotManifest& part) const;

  // Says of the snapshots beside this one why they are others.
  void tell_others(const SnapshotOrigin& origin, const Log& log) const;

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
