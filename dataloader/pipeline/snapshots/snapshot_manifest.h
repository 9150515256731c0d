// What a snapshot is, as the small text that is written last, docs/formats/snapshot.md: of which pipeline and sources,
// which columns, which files. One file's part of it is such a text, too. Any bytes give a manifest or words for why
// not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dataloader/pipeline/rows/row_examples.h"
#include "dataloader/records/corrupt.h"

namespace carrack::data {

// What a snapshot is made of: with another one of these it is another snapshot.
struct SnapshotOrigin {
  struct Source {
    std::string name;  // a file's URL; else the stage
    std::string version;
    bool operator==(const Source&) const = default;
  };
  std::string pipeline;  // in words, with what was asked of the snapshot
  std::vector<Source> sources = {};

  bool operator==(const SnapshotOrigin&) const = default;
};

// Sixteen hexadecimal digits.
std::string fingerprint_of(const SnapshotOrigin& origin);
// The first thing in which they differ.
std::string difference(const SnapshotOrigin& made_of, const SnapshotOrigin& asked);

// One file of records.
struct SnapshotShard {
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;     // of the file
  std::uint64_t inflated = 0;  // of the records in it, with their frames
  std::uint32_t contents = 0;  // as in an index
  std::uint64_t lost = 0;      // rows that could not be used when it was made
  bool operator==(const SnapshotShard&) const = default;
};

struct SnapshotManifest {
  // How many of the lost rows are told of.
  static constexpr std::size_t told_of = 100;

  SnapshotOrigin origin = {};  // none in the part of one file
  std::vector<ColumnType> columns = {};
  std::vector<SnapshotShard> shards = {};
  std::vector<Corrupt> lost = {};  // the first of them

  std::uint64_t rows() const;
  std::uint64_t lost_rows() const;
  bool operator==(const SnapshotManifest&) const = default;
};

std::string text_of(const SnapshotManifest& manifest);
std::variant<SnapshotManifest, std::string> snapshot_manifest_from(std::string_view text);

}  // namespace carrack::data
