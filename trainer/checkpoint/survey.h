// Finds and checks checkpoints for commands such as `carrack checkpoint`, and for jobs that start from the weights of
// another job. Only reads, and needs no claim: a job may train in the folder meanwhile.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataloader/storage/storage.h"
#include "trainer/checkpoint/folder.h"

namespace carrack::checkpoint {

// A checkpoint as a user names it.
struct CheckpointName {
  std::string folder;  // path or URL
  // The name of the manifest in the folder. nullopt: the best checkpoint if is_best, otherwise the last commit.
  std::optional<std::string> manifest;
  bool is_best = false;  // the checkpoint that BEST names
};

// Parses the path or URL by which a user names a checkpoint. Reads nothing, and accepts any text:
// - "runs/a/BEST": the best checkpoint of the folder runs/a;
// - "runs/a/checkpoint-1200-1-3-7", or the path of any file whose name begins so: this checkpoint;
// - any other text: a folder, which means its last commit.
CheckpointName parse_checkpoint_name(const std::string& name);

// Returns the manifest of that checkpoint. `folder` must be that of `name`. If a job has taken over the folder and has
// not committed yet, the last commit is that of the job before. Throws train::Error with Blame::user if there is no
// such checkpoint, or if its manifest, HEAD or BEST is damaged; data::Error if the storage fails.
Manifest manifest_of(const CheckpointName& name, CheckpointFolder& folder);

// What is in a checkpoint folder.
struct Survey {
  Head head;
  std::optional<Best> best;            // nullopt before the first evaluation
  std::vector<std::string> manifests;  // names of all manifests, in the order of attempt, incarnation, step and number
};

// Reads HEAD and BEST, and lists the manifests. `folder` is a path or URL. Throws train::Error with Blame::user if HEAD
// does not exist, or if HEAD or BEST is damaged; data::Error if the storage fails.
Survey survey(data::Storage& storage, const std::string& folder);

// Reads all files of a checkpoint and compares their sizes and checksums with its manifest. Returns a sentence for each
// file that is missing or damaged; empty if all are sound. Throws data::Error if the storage fails.
std::vector<std::string> damage_in(data::Storage& storage, const std::string& folder, const Manifest& manifest);

}  // namespace carrack::checkpoint
