// The manifest of a snapshot, the text that is written last, docs/formats/snapshot.md: the pipeline and the sources it
// was made from, its columns and its files. The part that is written with each file is such a text as well.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dataloader/pipeline/rows/row_examples.h"
#include "dataloader/records/corrupt.h"

namespace carrack::data {

// What a snapshot was made from. A different origin is a different snapshot.
struct SnapshotOrigin {
  struct Source {
    std::string name;     // a file's URL; for other sources the stage
    std::string version;  // a file's size and version; for other sources the fingerprint of the data
    bool operator==(const Source&) const = default;
  };
  // The format version: of `current_version` the pipeline is a canonical text (stages/canonical.h); of `legacy_version`
  // it is prose, but for snapshots of files (file_snapshot.h), whose text never changed. Parts have the legacy version.
  static constexpr unsigned legacy_version = 1, current_version = 2;

  std::string pipeline = {};  // with the options of the snapshot; empty in a part
  std::vector<Source> sources = {};
  unsigned version = legacy_version;

  bool operator==(const SnapshotOrigin&) const = default;
};

// Sixteen hexadecimal digits, the name of the snapshot's folder.
std::string fingerprint_of(const SnapshotOrigin& origin);
// Says in which respect two origins differ, for the log; the first one found.
std::string difference(const SnapshotOrigin& made_of, const SnapshotOrigin& wanted);

// One file of records.
struct SnapshotShard {
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;     // size of the file
  std::uint64_t inflated = 0;  // bytes of its records with their frames, uncompressed
  std::uint32_t contents = 0;  // the checksum that its index has, docs/formats/index.md
  std::uint64_t lost = 0;      // rows that could not be used when it was made
  bool operator==(const SnapshotShard&) const = default;
};

struct SnapshotManifest {
  static constexpr std::size_t lost_max = 100;

  SnapshotOrigin origin = {};  // empty in the part of one file
  std::vector<ColumnType> columns = {};
  std::vector<SnapshotShard> shards = {};
  std::vector<Corrupt> lost = {};  // the first `lost_max` lost rows

  std::uint64_t rows() const;
  std::uint64_t lost_rows() const;
  bool operator==(const SnapshotManifest&) const = default;
};

std::string to_text(const SnapshotManifest& manifest);
// Accepts any bytes. Returns why they are not a manifest, to follow the name of the file: "it does not match ...".
std::variant<SnapshotManifest, std::string> parse_snapshot_manifest(std::string_view text);

}  // namespace carrack::data
