// Encodes and decodes the manifest of a checkpoint, a small text file that describes it: the step and the position in
// the data, and the files with their checksums. (The YAML of a TrainingJob is another kind of manifest.) A commit
// writes the manifest just before HEAD, which names it; a restore reads HEAD, then the manifest. Equal manifests have
// equal texts. Pure functions; docs/formats/checkpoint.md, "Manifest", has the grammar.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/checkpoint/corrupt.h"

namespace carrack::checkpoint {

// Identifies a cut: one order of the coordinator to all parameter servers to save the same step. No two cuts of a
// folder are equal, since each process of a coordinator numbers its own cuts.
struct Cut {
  std::uint64_t step = 0;         // number of updates of the parameters
  std::uint64_t attempt = 0;      // unique in the folder, not only in the job: see attempt_in_names()
  std::uint64_t incarnation = 0;  // incarnation of the coordinator
  std::uint64_t number = 0;       // the coordinator's number of this cut
  bool operator==(const Cut&) const = default;
};

// Returns the text with which the names of all files of the cut begin: "checkpoint-STEP-ATTEMPT-INCARNATION-NUMBER",
// such as "checkpoint-1200-1-3-7".
std::string prefix_of(const Cut& cut);
// Returns "PREFIX.manifest".
std::string manifest_name(const Cut& cut);

// Batches that the parameters include: those with the numbers [begin, end), counted from 0 in each epoch.
struct AppliedRanges {
  std::uint64_t epoch = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool operator==(const AppliedRanges&) const = default;
};

// Records that the steps left out because they could not be used.
struct SkippedRecords {
  std::uint64_t records = 0;  // a record counts again in each epoch
  std::string first = {};  // the file and position of the first one, and what is wrong with it; empty if `records` is 0
  bool operator==(const SkippedRecords&) const = default;
};

struct StoredFile {
  std::string name;
  std::uint64_t size = 0;
  std::uint32_t crc32c = 0;
  std::uint64_t generation = 0;  // the storage's version of the file; 0 if its versions are not numbers
  bool operator==(const StoredFile&) const = default;
};

struct Manifest {
  std::string job;  // UID of the job
  Cut cut;
  std::uint64_t timeline = 0;  // history of updates to which the shards belong; a new one begins when servers reload
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  std::uint64_t position = 0;  // number of records of the epoch that the first `cut.step` batches use
  std::string order;           // identifies the data and the order of its records; one line, may be empty
  std::uint32_t digest = 0;    // digest of parameters and optimizer state: see digest.h
  std::uint32_t shards = 0;    // one for each parameter server
  // What the job trains, as lines that each end with a line break; empty if an earlier release wrote it.
  std::string config = {};
  SkippedRecords skipped = {};         // records that were left out up to the position
  std::vector<AppliedRanges> applied;  // Async: all batches that were applied, ascending, not touching; Sync: empty
  std::vector<StoredFile> files;       // the index, followed by the shards in order
  bool operator==(const Manifest&) const = default;
};

// Throws train::Error with Blame::bug for a manifest that decode_manifest() would refuse.
std::string encode_manifest(const Manifest& manifest);
// Returns Corrupt for a text that encode_manifest() never returns, such as one that does not name exactly the index and
// the shards of its cut.
Decoded<Manifest> decode_manifest(std::string_view text);

}  // namespace carrack::checkpoint
