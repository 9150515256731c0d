// What a checkpoint is: the last thing that a cut writes before HEAD, and the first that a restore reads after it.
// docs/formats/checkpoint.md, "Manifest", has the grammar. A manifest has one text, and a text that decodes names
// exactly the files of its bundle.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/checkpoint/corrupt.h"

namespace carrack::checkpoint {

// No two cuts of a folder have the same: a coordinator counts its own, and no two coordinators share the rest.
struct Cut {
  std::uint64_t step = 0;
  std::uint64_t attempt = 0;
  std::uint64_t incarnation = 0;  // Of the coordinator.
  std::uint64_t number = 0;
  bool operator==(const Cut&) const = default;
};

// The bundle's prefix within its folder.
std::string prefix_of(const Cut& cut);
std::string manifest_name(const Cut& cut);

// Range ids [begin, end) of an epoch.
struct AppliedRanges {
  std::uint64_t epoch = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool operator==(const AppliedRanges&) const = default;
};

struct StoredFile {
  std::string name;
  std::uint64_t size = 0;
  std::uint32_t crc32c = 0;
  std::uint64_t generation = 0;  // As the storage gave it; 0 where it has none.
  bool operator==(const StoredFile&) const = default;
};

struct Manifest {
  std::string job;  // UID.
  Cut cut;
  std::uint64_t timeline = 0;  // The history that the shards belong to.
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  std::uint64_t position = 0;  // Records of the epoch that the parameters hold.
  std::string order;           // The order's own state: one line, which may be empty.
  std::uint32_t digest = 0;
  std::uint32_t shards = 0;            // One for each parameter server.
  std::vector<AppliedRanges> applied;  // Ascending, not touching; none where steps are counted instead.
  std::vector<StoredFile> files;       // The index, then the shards.
  bool operator==(const Manifest&) const = default;
};

// Throws Error{bug} for a manifest that would not decode.
std::string encode_manifest(const Manifest& manifest);
Decoded<Manifest> decode_manifest(std::string_view text);

}  // namespace carrack::checkpoint
