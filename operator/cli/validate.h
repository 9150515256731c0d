// `carrack validate`: checks whether manifests can be run, and whether the data is what they say. It starts nothing and
// writes nothing.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "operator/codec/node.h"
#include "operator/core/validate.h"

namespace carrack::control {

// Which files are checked: all, or only those that are not in remote storage.
enum class LookFor { everything, local_files };

// What a check of the files of a job finds, before the job starts.
struct FilesLook {
  std::vector<Problem> problems;
  std::string text;  // "3 files, features x (float32, 7), y (float32)"; use it only if there are no problems
};
// Checks the files of a job of the trainer. Must change nothing. A storage that cannot be used is a problem, not an
// exception.
using LookAtFiles = std::function<FilesLook(const train::Config& config, LookFor)>;

// Returns what `look` finds, and adds to each problem its place in the manifest `document`, such as a line. Leaves out
// problems of the checkpoint folder if the manifest does not name one.
FilesLook look_with_places(const LookAtFiles& look, LookFor look_for, const train::Config& config,
                           const Node& document);

// Takes the arguments after `validate`. Calls `look` on this thread, unless --no-data is given. Returns the largest
// exit code of all manifests, which is 2 for one that has problems. An error is printed, not thrown.
int validate(std::span<char* const> arguments, const ModelCheck& check_model, const LookAtFiles& look);

}  // namespace carrack::control
