// SnapshotManifest: the description of a snapshot, a text file in its folder that is written last
// (docs/formats/snapshot.md): the pipeline and the sources that the snapshot was made from, its columns and its files.
// The part that is written for each file has the same format. SnapshotFolder reads and writes both.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dataloader/pipeline/rows/row_examples.h"
#include "dataloader/records/corrupt.h"

namespace carrack::data {

// What a snapshot was made from: its identity. If any of it changes, another snapshot is made in another folder.
struct SnapshotOrigin {
  struct Source {
    std::string name;     // the URL of a file; for any other source its stage
    std::string version;  // size and version of a file; for any other source the fingerprint of its data
    bool operator==(const Source&) const = default;
  };
  // The versions of the format. In `current_version` the pipeline is a canonical text (stages/canonical.h). In
  // `legacy_version` it is prose, except in snapshots of files (file_snapshot.h), where it is canonical. Snapshots of
  // files and all parts have the legacy version.
  static constexpr unsigned legacy_version = 1, current_version = 2;

  std::string pipeline = {};  // with the options of the snapshot; empty in a part
  std::vector<Source> sources = {};
  unsigned version = legacy_version;

  bool operator==(const SnapshotOrigin&) const = default;
};

// Returns the name of the snapshot's folder: a hash of the origin, as sixteen hexadecimal digits.
std::string fingerprint_of(const SnapshotOrigin& origin);
// Returns the first difference between two different origins, as a text for the user, such as "x.tfrecord has changed".
// `made_of` is the origin of a snapshot that exists, and `wanted` is the requested one.
std::string difference(const SnapshotOrigin& made_of, const SnapshotOrigin& wanted);

// What the manifest says about one file of records. Its index in SnapshotManifest::shards is its number.
struct SnapshotShard {
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;     // of the file as it is stored
  std::uint64_t inflated = 0;  // of its records with their frames, uncompressed
  std::uint32_t contents = 0;  // Index::contents(), docs/formats/index.md
  std::uint64_t lost = 0;      // number of rows that were left out because they could not be used
  bool operator==(const SnapshotShard&) const = default;
};

struct SnapshotManifest {
  static constexpr std::size_t lost_max = 100;

  SnapshotOrigin origin = {};  // empty in the part of one file
  std::vector<ColumnType> columns = {};
  std::vector<SnapshotShard> shards = {};
  std::vector<Corrupt> lost = {};  // the first lost rows, at most lost_max

  // The sum over all shards.
  std::uint64_t rows() const;
  // The sum over all shards; may be more than the size of `lost`.
  std::uint64_t lost_rows() const;
  bool operator==(const SnapshotManifest&) const = default;
};

std::string to_text(const SnapshotManifest& manifest);
// Accepts any bytes. If they are not a manifest, returns why, as a text that can follow the file's name, such as "it
// does not match its checksum".
std::variant<SnapshotManifest, std::string> parse_snapshot_manifest(std::string_view text);

}  // namespace carrack::data
