// HEAD, the file that says who may commit to a checkpoint folder, and which manifest was committed last. It is only
// changed by compare-and-set (data::Storage::replace_if), so of two coordinators one fails. The format is in
// docs/formats/checkpoint.md, "HEAD".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/checkpoint/corrupt.h"

namespace carrack::checkpoint {

struct Committed {
  std::string manifest;      // The manifest's name in the folder.
  std::uint32_t crc32c = 0;  // The checksum of the whole manifest.
  bool operator==(const Committed&) const = default;
};

// How many earlier owners HEAD names: those before them have lost the folder too long ago to come back.
inline constexpr std::size_t earlier_owners_max = 100;

// Of a folder that was taken over from another job.
struct TakenOver {
  std::vector<std::string> owners;      // UIDs of the jobs that have owned the folder, the last one at the end
  std::uint64_t attempts = 0;           // that they had; the names of this job's files count on from here
  std::uint64_t replaced_attempts = 0;  // files of attempts below this are of jobs that were replaced
  std::optional<Committed> kept;        // until the first commit: the last commit of the job that this one replaces
  bool operator==(const TakenOver&) const = default;
};

struct Head {
  std::string job;  // The job's UID.
  std::uint64_t attempt = 0;
  std::uint64_t incarnation = 0;       // The coordinator's.
  std::string nonce;                   // New for each write, so a writer recognises its own after a lost reply.
  std::optional<Committed> committed;  // nullopt until the first commit.
  std::optional<Committed> resumed;    // Until the first commit: the other job's commit that this job started from.
  bool first_pass = false;             // The job started before its data was indexed, so it has another record order.
  std::optional<TakenOver> taken_over = std::nullopt;
  bool operator==(const Head&) const = default;
};

// The attempt in the names of files of the coordinator that holds this HEAD. No other job of the folder has it.
std::uint64_t attempt_in_names(const Head& head);

// True if the job has owned the folder and lost it to another one.
bool has_lost(const Head& head, const std::string& job);

// Throws a bug for a Head that decode_head() would refuse.
std::string encode_head(const Head& head);
Decoded<Head> decode_head(std::string_view text);

}  // namespace carrack::checkpoint
