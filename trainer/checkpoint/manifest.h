// The manifest of a checkpoint: its position in the training and its files. A commit writes it last before HEAD; a
// restore reads it first after HEAD. The encoding is canonical, and a text that decodes names exactly the files of its
// bundle. The grammar is in docs/formats/checkpoint.md, "Manifest".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/checkpoint/corrupt.h"

namespace carrack::checkpoint {

// Identifies a cut: no two cuts of a folder are equal, as a coordinator counts its own cuts in `number`.
struct Cut {
  std::uint64_t step = 0;
  std::uint64_t attempt = 0;
  std::uint64_t incarnation = 0;  // The coordinator's.
  std::uint64_t number = 0;
  bool operator==(const Cut&) const = default;
};

// The prefix of the names of the bundle's files.
std::string prefix_of(const Cut& cut);
std::string manifest_name(const Cut& cut);

// The ids [begin, end) of ranges of an epoch that were applied.
struct AppliedRanges {
  std::uint64_t epoch = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool operator==(const AppliedRanges&) const = default;
};

// Uses of records that the steps left out because they could not be used.
struct SkippedRecords {
  std::uint64_t records = 0;
  std::string first = {};  // Where the first of them is and what is wrong with it; empty if there is none.
  bool operator==(const SkippedRecords&) const = default;
};

struct StoredFile {
  std::string name;
  std::uint64_t size = 0;
  std::uint32_t crc32c = 0;
  std::uint64_t generation = 0;  // From the storage; 0 if it has none.
  bool operator==(const StoredFile&) const = default;
};

struct Manifest {
  std::string job;  // The job's UID.
  Cut cut;
  std::uint64_t timeline = 0;  // The timeline that the shards belong to.
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  std::uint64_t position = 0;          // Records of the epoch that the parameters include.
  std::string order;                   // Identifies the data and the order of its records; one line, may be empty.
  std::uint32_t digest = 0;            // Of the parameters and the optimizer state: see digest.h.
  std::uint32_t shards = 0;            // One per parameter server.
  std::string config = {};             // What the job trains, as lines; empty if an earlier release wrote it.
  SkippedRecords skipped = {};         // Within the position.
  std::vector<AppliedRanges> applied;  // Ascending, not adjacent; empty if steps are counted.
  std::vector<StoredFile> files;       // The index, then the shards.
  bool operator==(const Manifest&) const = default;
};

// Throws a bug for a manifest that decode_manifest() would refuse.
std::string encode_manifest(const Manifest& manifest);
Decoded<Manifest> decode_manifest(std::string_view text);

}  // namespace carrack::checkpoint
