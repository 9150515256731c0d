// Replaces this process by one that runs a command of the trainer.
#pragma once

#include <string>
#include <vector>

#include "operator/core/job.h"

namespace carrack::control {

// Executes `program`, the path of a trainer, with these arguments after its name. The trainer finds the configuration
// of `job` in a file in memory. Throws Error with Blame::user if the program cannot be started.
[[noreturn]] void become_trainer(const std::string& program, std::vector<std::string> arguments, const JobSpec& job);
// Does the same for a command that needs no configuration.
[[noreturn]] void become_trainer(const std::string& program, std::vector<std::string> arguments);

}  // namespace carrack::control
