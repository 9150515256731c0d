// HEAD, the file that says who may commit to a checkpoint folder, and which manifest was committed last. It is only
// changed by compare-and-set (data::Storage::replace_if), so of two coordinators one fails. The format is in
// docs/formats/checkpoint.md, "HEAD".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trainer/checkpoint/corrupt.h"

namespace carrack::checkpoint {

struct Committed {
  std::string manifest;      // The manifest's name in the folder.
  std::uint32_t crc32c = 0;  // The checksum of the whole manifest.
  bool operator==(const Committed&) const = default;
};

struct Head {
  std::string job;  // The job's UID.
  std::uint64_t attempt = 0;
  std::uint64_t incarnation = 0;       // The coordinator's.
  std::string nonce;                   // New for each write, so a writer recognises its own after a lost reply.
  std::optional<Committed> committed;  // nullopt until the first commit.
  std::optional<Committed> resumed;    // Until the first commit: the other job's commit that this job started from.
  bool first_pass = false;             // The job started before its data was indexed, so it has another record order.
  bool operator==(const Head&) const = default;
};

// Throws a bug for a Head that decode_head() would refuse.
std::string encode_head(const Head& head);
Decoded<Head> decode_head(std::string_view text);

}  // namespace carrack::checkpoint
