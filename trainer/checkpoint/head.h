// HEAD: who may commit to a checkpoint folder, and the last manifest committed there. Whoever changes it compares and
// sets, so its text is the fence; dataloader/storage does the comparing. docs/formats/checkpoint.md, "HEAD".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trainer/checkpoint/corrupt.h"

namespace carrack::checkpoint {

struct Committed {
  std::string manifest;      // Its name in the folder.
  std::uint32_t crc32c = 0;  // Of the whole file.
  bool operator==(const Committed&) const = default;
};

struct Head {
  std::string job;  // UID.
  std::uint64_t attempt = 0;
  std::uint64_t incarnation = 0;       // Of the coordinator.
  std::string nonce;                   // New for each write, so a writer knows its own after a lost reply.
  std::optional<Committed> committed;  // None from the first claim to the first commit.
  std::optional<Committed> resumed;    // Till then: the commit in another job's folder that this job goes on from.
  bool first_pass = false;             // The job began before its data was indexed: its order is another, for good.
  bool operator==(const Head&) const = default;
};

// Throws Error{bug} for a Head that would not decode.
std::string encode_head(const Head& head);
Decoded<Head> decode_head(std::string_view text);

}  // namespace carrack::checkpoint
