// The manifest of a checkpoint: its position in the training, and its files. A commit writes the manifest just before
// HEAD, and a restore reads it just after HEAD. The encoding is canonical, and a text that decodes names exactly the
// files of its bundle. docs/formats/checkpoint.md, "Manifest", has the grammar.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/checkpoint/corrupt.h"

namespace carrack::checkpoint {

// Identifies a cut. No two cuts of a folder are equal, since each coordinator numbers its own cuts.
struct Cut {
  std::uint64_t step = 0;
  std::uint64_t attempt = 0;      // counts on over the jobs of the folder: see attempt_in_names()
  std::uint64_t incarnation = 0;  // of the coordinator
  std::uint64_t number = 0;
  bool operator==(const Cut&) const = default;
};

// The beginning of the names of the bundle's files.
std::string prefix_of(const Cut& cut);
std::string manifest_name(const Cut& cut);

// Records of an epoch that were applied, by the numbers [begin, end) in the order of the epoch.
struct AppliedRanges {
  std::uint64_t epoch = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool operator==(const AppliedRanges&) const = default;
};

// Uses of records that the steps left out because the records could not be used.
struct SkippedRecords {
  std::uint64_t records = 0;
  std::string first = {};  // where the first record is and what is wrong with it; empty: no record was left out
  bool operator==(const SkippedRecords&) const = default;
};

struct StoredFile {
  std::string name;
  std::uint64_t size = 0;
  std::uint32_t crc32c = 0;
  std::uint64_t generation = 0;  // from the storage; 0 if it has no numbers as versions
  bool operator==(const StoredFile&) const = default;
};

struct Manifest {
  std::string job;  // its UID
  Cut cut;
  std::uint64_t timeline = 0;  // of the shards
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  std::uint64_t position = 0;          // how many records of the epoch the parameters include
  std::string order;                   // identifies the data and the order of its records; one line, may be empty
  std::uint32_t digest = 0;            // of parameters and optimizer state: see digest.h
  std::uint32_t shards = 0;            // one for each parameter server
  std::string config = {};             // what the job trains, as lines; empty if an earlier release wrote it
  SkippedRecords skipped = {};         // up to the position
  std::vector<AppliedRanges> applied;  // ascending and not adjacent; empty if steps are counted
  std::vector<StoredFile> files;       // the index, then the shards in order
  bool operator==(const Manifest&) const = default;
};

// Throws Error with Blame::bug for a manifest that decode_manifest() would refuse.
std::string encode_manifest(const Manifest& manifest);
Decoded<Manifest> decode_manifest(std::string_view text);

}  // namespace carrack::checkpoint
