// Encodes and decodes the text of HEAD, the file that says which process may commit to a checkpoint folder, and which
// manifest is the last commit. CheckpointFolder (folder.h) reads it, and changes it only by compare-and-set
// (data::Storage::replace_if), so that one of two competing coordinators fails. Pure functions;
// docs/formats/checkpoint.md, "HEAD", specifies the format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/checkpoint/corrupt.h"

namespace carrack::checkpoint {

// Names a checkpoint by its manifest.
struct Committed {
  std::string manifest;      // name of the manifest in the folder
  std::uint32_t crc32c = 0;  // CRC-32C of the whole manifest
  bool operator==(const Committed&) const = default;
};

// The maximum size of TakenOver::owners. Owners before these lost the folder so long ago that they will not come back.
inline constexpr std::size_t earlier_owners_max = 100;

// Recorded in HEAD when a job takes over the folder from another job.
struct TakenOver {
  std::vector<std::string> owners;      // UIDs of the jobs that owned the folder before, the latest one last
  std::uint64_t attempts = 0;           // total number of attempts of these jobs; attempt_in_names() adds it
  std::uint64_t replaced_attempts = 0;  // files whose names have an attempt below this belong to replaced jobs
  std::optional<Committed> kept;        // until the first commit: the last commit of the job that this one replaces
  bool operator==(const TakenOver&) const = default;
};

// At most one of `committed` and `resumed` is set.
struct Head {
  std::string job;  // UID of the job that owns the folder
  // The process of the coordinator that may commit: number of restarts of the job, and of starts within the attempt.
  std::uint64_t attempt = 0;
  std::uint64_t incarnation = 0;
  std::string nonce;  // new for each write, so that a writer recognises its own write even if the reply was lost
  std::optional<Committed> committed;  // nullopt before the first commit
  std::optional<Committed> resumed;    // until the first commit: the other job's commit from which this job started
  bool first_pass = false;  // the job started before its data was indexed, which changes the order of records
  std::optional<TakenOver> taken_over = std::nullopt;  // nullopt: only one job has owned the folder
  bool operator==(const Head&) const = default;
};

// Returns the attempt in the names of files that the coordinator with this HEAD writes: head.attempt plus the attempts
// of all earlier owners, so that no two jobs use the same one.
std::uint64_t attempt_in_names(const Head& head);

// True if `job` has owned the folder and lost it to another job.
bool has_lost_folder(const Head& head, const std::string& job);

// Throws train::Error with Blame::bug for a Head that decode_head() would refuse.
std::string encode_head(const Head& head);
// Returns Corrupt for a text that encode_head() never returns.
Decoded<Head> decode_head(std::string_view text);

}  // namespace carrack::checkpoint
