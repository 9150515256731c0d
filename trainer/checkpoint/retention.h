// Decides which files of old checkpoints can be removed from a checkpoint folder. CheckpointFolder::remove_unneeded()
// removes them. The decision depends only on the names in the folder and on the retention, so the next removal
// completes one that was interrupted. Pure; docs/formats/checkpoint.md, "Removal", describes the rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/checkpoint/manifest.h"

namespace carrack::checkpoint {

// Returns the cut (checkpoint) to which a file belongs, by its name up to the first dot: "checkpoint-1200-1-3-7.index"
// -> step 1200, attempt 1, incarnation 3, number 7. nullopt for other names.
std::optional<Cut> cut_of_file(std::string_view name);

// Which checkpoints stay: those that `last`, `every_steps` or `others` describe.
struct Retention {
  std::uint64_t last = 3;  // this many last commits stay; must be at least 1
  // The first commit at or after each multiple of this number stays, too; must be at least 1. nullopt: no such commits
  // stay.
  std::optional<std::uint64_t> every_steps = std::nullopt;
  // All files of an attempt below this are removed, even those of `others`, because another job has replaced the jobs
  // with these attempts (TakenOver::replaced_attempts).
  std::uint64_t replaced_attempts = 0;
  std::vector<std::string> others = {};  // names of other manifests whose checkpoints stay, such as that in BEST
};

// Returns the names of the files to remove, in the order in which to remove them: manifests come first, so that no
// manifest names a missing file. This includes files of cuts that were never committed, but not of cuts after the
// committed one, which may still be written. `names` are all names in the folder, in any order; names that Carrack does
// not write are ignored. `committed` is the name of the manifest that HEAD names. The result is empty if files of that
// checkpoint are missing.
std::vector<std::string> unneeded_files(const std::vector<std::string>& names, const std::string& committed,
                                        const Retention& retention);

}  // namespace carrack::checkpoint
