// Decides which files of a checkpoint folder are not needed any more. The result depends only on the names in the
// folder, so the next removal completes one that was interrupted. docs/formats/checkpoint.md, "Removal", describes the
// rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/checkpoint/manifest.h"

namespace carrack::checkpoint {

// Returns the cut whose prefix is `name` up to its first dot; nullopt if that is not the prefix of a cut.
std::optional<Cut> cut_of_file(std::string_view name);

struct Retention {
  std::uint64_t last = 3;  // number of the last commits that stay; must be at least 1
  // The first commit at or after each multiple of this number stays, too; must be at least 1. nullopt: no such commits
  // stay.
  std::optional<std::uint64_t> every_steps = std::nullopt;
  // Files of an attempt below this are removed, even those of `others`: the jobs with these attempts were replaced.
  std::uint64_t replaced_attempts = 0;
  std::vector<std::string> others = {};  // names of other manifests whose checkpoints stay
};

// Returns the files to remove, in the order in which to remove them: manifests come first, so that no manifest names a
// missing file. `names` are all names in the folder, in any order; names that Carrack does not write are ignored.
// `committed` is the manifest that HEAD names. The result is empty if files of that checkpoint are missing.
std::vector<std::string> unneeded_files(const std::vector<std::string>& names, const std::string& committed,
                                        const Retention& retention);

}  // namespace carrack::checkpoint
