// HEAD, the file that says who may commit to a checkpoint folder, and which manifest was committed last. It is changed
// only by compare-and-set (data::Storage::replace_if), so one of two competing coordinators fails. Pure functions;
// docs/formats/checkpoint.md, "HEAD", specifies the format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/checkpoint/corrupt.h"

namespace carrack::checkpoint {

struct Committed {
  std::string manifest;      // its name in the folder
  std::uint32_t crc32c = 0;  // of the whole manifest
  bool operator==(const Committed&) const = default;
};

// The most earlier owners that HEAD names. Owners before these lost the folder so long ago that they will not come
// back.
inline constexpr std::size_t earlier_owners_max = 100;

// Recorded in HEAD when a job takes over the folder from another job.
struct TakenOver {
  std::vector<std::string> owners;      // UIDs of the jobs that have owned the folder, the latest one last
  std::uint64_t attempts = 0;           // the number of their attempts; names of this job's files count on from it
  std::uint64_t replaced_attempts = 0;  // files of attempts below this belong to replaced jobs
  std::optional<Committed> kept;        // until the first commit: the last commit of the job that this one replaces
  bool operator==(const TakenOver&) const = default;
};

struct Head {
  std::string job;  // its UID
  std::uint64_t attempt = 0;
  std::uint64_t incarnation = 0;       // of the coordinator
  std::string nonce;                   // new for each write, so that a writer recognises its own after a lost reply
  std::optional<Committed> committed;  // nullopt until the first commit
  std::optional<Committed> resumed;    // until the first commit: the other job's commit that this job started from
  bool first_pass = false;  // the job started before its data was indexed, which changes the order of records
  std::optional<TakenOver> taken_over = std::nullopt;  // nullopt: only one job has owned the folder
  bool operator==(const Head&) const = default;
};

// The attempt in the names of files of the coordinator that holds this HEAD. No other job of the folder uses it.
std::uint64_t attempt_in_names(const Head& head);

// True if `job` has owned the folder and lost it to another job.
bool has_lost(const Head& head, const std::string& job);

// Throws Error with Blame::bug for a Head that decode_head() would refuse.
std::string encode_head(const Head& head);
Decoded<Head> decode_head(std::string_view text);

}  // namespace carrack::checkpoint
