// Describes what is in a checkpoint folder, for the user. Only reads, and needs no claim: a job may train in the folder
// meanwhile.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataloader/storage/storage.h"
#include "trainer/checkpoint/folder.h"

namespace carrack::checkpoint {

// A checkpoint as a user names it.
struct Named {
  std::string folder;
  // The name of the manifest in the folder. nullopt: the best checkpoint if is_best, otherwise the last commit.
  std::optional<std::string> manifest;
  bool is_best = false;  // the checkpoint that BEST names
};

// Parses the name of a checkpoint: a folder, its BEST, or the path of any file of a checkpoint in it. The prefix of a
// cut, with which the names of these files begin, is enough. Reads nothing.
Named named(const std::string& name);

// Returns the manifest of that checkpoint. `folder` must be that of `name`. Throws train::Error with Blame::user if it
// does not exist or is damaged, data::Error if the storage fails.
Manifest manifest_of(const Named& name, CheckpointFolder& folder);

struct Survey {
  Head head;
  std::optional<Best> best;
  std::vector<std::string> manifests;  // names of all manifests, in the order of attempt, incarnation, step and number
};

// Throws train::Error with Blame::user if HEAD does not exist, or if HEAD or BEST is damaged; data::Error if the
// storage fails.
Survey survey(data::Storage& storage, const std::string& folder);

// Reads all files of a checkpoint and compares them with its manifest. Returns a sentence for each file that is missing
// or damaged. Throws data::Error if the storage fails.
std::vector<std::string> damage_in(data::Storage& storage, const std::string& folder, const Manifest& manifest);

}  // namespace carrack::checkpoint
