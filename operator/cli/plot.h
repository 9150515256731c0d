// `carrack plot`: draws the history of a job's training in the terminal.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>

#include "dataloader/storage/storages.h"

namespace carrack::control {

// Takes the arguments after `plot`. Calls `storages` once, and only if they are valid. The locale in `environment` says
// which characters can be shown. Returns the exit code. An error is printed, not thrown.
int plot(std::span<char* const> arguments, const std::function<const data::Storages&()>& storages,
         const std::map<std::string, std::string>& environment);

// Returns the chart of the loss of the job with this checkpoint folder, as wide as the terminal. Empty if fewer than 3
// points are recorded, or if they cannot be read or drawn; does not throw then.
std::string chart_for_terminal(const std::string& folder, const data::Storages& storages,
                               const std::map<std::string, std::string>& environment);

}  // namespace carrack::control
