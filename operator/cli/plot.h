// `carrack plot FOLDER`: draws in the terminal how the loss, or another metric, of a job changed over its steps. The
// history is metrics.jsonl in the job's checkpoint folder.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>

#include "dataloader/storage/storages.h"

namespace carrack::control {

// Takes the arguments after `plot`. `storages` returns the storages from which the history is read; it is called once,
// and only if the arguments are valid. The locale in `environment`, the environment variables of this process, decides
// between ASCII and UTF-8. Returns the exit code: 0; 2 for a mistake of the user, such as a folder without a history; 1
// for any other error. An error is printed, not thrown.
int plot(std::span<char* const> arguments, const std::function<const data::Storages&()>& storages,
         const std::map<std::string, std::string>& environment);

// Returns the chart of the loss of the job with this checkpoint folder, as wide as the terminal. `carrack run` prints
// it when a job has succeeded. Empty if fewer than 3 points are recorded, or if they cannot be read or drawn. Throws
// nothing.
std::string chart_for_terminal(const std::string& folder, const data::Storages& storages,
                               const std::map<std::string, std::string>& environment);

}  // namespace carrack::control
