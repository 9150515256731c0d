// Decides which files of a checkpoint folder are not needed any more. A pure function of the names in the folder, so
// the next removal completes one that was interrupted. docs/formats/checkpoint.md, "Removal", describes the rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/checkpoint/manifest.h"

namespace carrack::checkpoint {

// Returns the cut that `name` begins with, up to its first dot; nullopt if it is not a name of a cut's file.
std::optional<Cut> cut_of_file(std::string_view name);

struct Retention {
  std::uint64_t last = 3;  // how many of the last commits stay; at least 1
  // The first commit at or after each multiple of this stays, too; at least 1. nullopt: no such commits stay.
  std::optional<std::uint64_t> every_steps = std::nullopt;
  // No file of an attempt below this stays, not even of `others`: the jobs with these attempts were replaced.
  std::uint64_t replaced_attempts = 0;
  std::vector<std::string> others = {};  // names of more manifests whose checkpoints stay
};

// Returns the files to remove, in the order in which to remove them: manifests come first, so that no manifest names a
// missing file. `names` are all names in the folder, in any order; names that Carrack does not write are ignored.
// `committed` is the manifest that HEAD names. The result is empty if files of that checkpoint are missing.
std::vector<std::string> unneeded_files(const std::vector<std::string>& names, const std::string& committed,
                                        const Retention& retention);

}  // namespace carrack::checkpoint
