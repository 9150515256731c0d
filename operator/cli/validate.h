// `carrack validate`: whether manifests can be run, and whether the data is what they say. It starts nothing and writes
// nothing.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "operator/codec/node.h"
#include "operator/core/validate.h"

namespace carrack::control {

enum class LookFor { everything, local_files };

// What a look at the files that a job names finds before it starts.
struct FilesLook {
  std::vector<Problem> problems;
  std::string text;  // "3 files, features x (float32, 7), y (float32)"; for a job without problems
};
// Changes nothing. A storage that cannot be used is a problem, too.
using LookAtFiles = std::function<FilesLook(const train::Config& config, LookFor)>;

// The problems that a look finds, with their places in the manifest.
FilesLook look_with_places(const LookAtFiles& look, LookFor look_for, const train::Config& config,
                           const Node& document);

// Takes the arguments after `validate`. Returns the exit code: 2 if a manifest has problems. An error is printed, not
// thrown.
int validate(std::span<char* const> arguments, const ModelCheck& check_model, const LookAtFiles& look);

}  // namespace carrack::control
