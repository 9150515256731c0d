// `carrack init`: writes a manifest for the records at hand.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dataloader/cli/survey_features.h"

namespace carrack::control {

// Surveys the records of `files`, which are names and patterns as the user typed them. Throws data::Refused, with the
// names, for files that cannot be used.
using FindFeatures = std::function<data::cli::RecordsFound(const std::vector<std::string>& files)>;

// Takes the arguments after `init`. Calls `find_features` once, on this thread, and only if they are valid. Returns the
// exit code. An error is printed, not thrown.
int init(std::span<char* const> arguments, const FindFeatures& find_features);

}  // namespace carrack::control
