// What is in a checkpoint folder, for people. Only reads, and needs no claim: a job may go on there meanwhile.
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
  std::optional<std::string> manifest;  // its name in the folder; nullopt: the best one or the last commit
  bool is_best = false;                 // the checkpoint that BEST names
};

// `name` is a folder, its BEST, or the path of a file of a checkpoint in it; what all of its files begin with will do.
Named named(const std::string& name);

// The manifest of that checkpoint, which is in `folder`. Throws train::Error (user) if there is none, or if it is
// damaged; data::Error if storage fails.
Manifest manifest_of(const Named& name, CheckpointFolder& folder);

struct Survey {
  Head head;
  std::optional<Best> best;
  std::vector<std::string> manifests;  // the names of all, in the order of their cuts
};

// Throws train::Error (user) if the folder has no HEAD; data::Error if storage fails.
Survey survey(data::Storage& storage, const std::string& folder);

// Reads all files of a checkpoint and compares them with its manifest. Returns a sentence for each that is missing or
// damaged. Throws data::Error if storage fails.
std::vector<std::string> damage_in(data::Storage& storage, const std::string& folder, const Manifest& manifest);

}  // namespace carrack::checkpoint
