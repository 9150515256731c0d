// Runs a command of the trainer in place of this process.
#pragma once

#include <string>
#include <vector>

#include "operator/core/job.h"

namespace carrack::control {

// The trainer takes this process over, with the configuration of the job in memory and these arguments. Throws Error
// (user) if the program cannot be started.
[[noreturn]] void become_trainer(const std::string& program, std::vector<std::string> arguments, const JobSpec& job);
// The same for a command that needs no configuration.
[[noreturn]] void become_trainer(const std::string& program, std::vector<std::string> arguments);

}  // namespace carrack::control
