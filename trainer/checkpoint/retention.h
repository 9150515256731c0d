// Which files of a checkpoint folder are not needed any more. A pure function of the names in the folder, so a removal
// that was interrupted is finished by the next one. docs/formats/checkpoint.md, "Removal", describes the rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/checkpoint/manifest.h"

namespace carrack::checkpoint {

// The cut whose prefix the file's name begins with, up to its first dot; nullopt if it is no file of a cut.
std::optional<Cut> cut_of_file(std::string_view name);

struct Retention {
  std::uint64_t last = 3;  // How many of the last commits stay; at least 1.
  // The first commit at or behind each multiple of this stays, too; at least 1.
  std::optional<std::uint64_t> every_steps = std::nullopt;
  // Nothing stays of attempts below this, whatever its step: a job has replaced those that had them.
  std::uint64_t replaced_attempts = 0;
  std::vector<std::string> others = {};  // The names of manifests whose checkpoints stay in any case.
};

// The files to remove, in the order to remove them: manifests come first, so that none names a missing file. `names`
// are those in the folder, in any order; names that Carrack does not write are ignored. `committed` is the manifest
// that HEAD names. The result is empty if its checkpoint is not whole in `names`.
std::vector<std::string> unneeded_files(const std::vector<std::string>& names, const std::string& committed,
                                        const Retention& retention);

}  // namespace carrack::checkpoint
