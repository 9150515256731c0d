// `carrack init FILES...`: writes the manifest of a first TrainingJob for a user's TFRecord files, with the features
// that their records have.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dataloader/cli/survey_features.h"

namespace carrack::control {

// Reads some records of `files` and returns their features. `files` are names and patterns as the user typed them.
// Throws data::Refused, with the names, for files that cannot be used. It is data::cli::survey_features() with the
// storages of the process.
using FindFeatures = std::function<data::cli::RecordsFound(const std::vector<std::string>& files)>;

// Takes the arguments after `init`. Calls `find_features` once, on this thread, and only if they are valid. Prints the
// manifest, or writes it to the file that --to names, which must not exist, unless it is a device such as /dev/null.
// Returns the exit code: 0; 2 for a mistake of the user, such as files that cannot be used; 1 for any other error. An
// error is printed, not thrown.
int init(std::span<char* const> arguments, const FindFeatures& find_features);

}  // namespace carrack::control
