// Replaces this process by the trainer (execve), for commands such as `carrack predict` that the trainer carries out.
#pragma once

#include <string>
#include <vector>

#include "operator/core/job.h"

namespace carrack::control {

// Executes `program`, the path of a trainer, with these arguments after its name. The environment stays; variables are
// added by which the trainer finds the configuration of `job`, in a file in memory. No destructor of this process runs,
// and buffered output is lost. Returns only by throwing Error: Blame::user if the program cannot be started,
// Blame::platform if the file cannot be written.
[[noreturn]] void become_trainer(const std::string& program, std::vector<std::string> arguments, const JobSpec& job);
// The same for a command that needs no configuration.
[[noreturn]] void become_trainer(const std::string& program, std::vector<std::string> arguments);

}  // namespace carrack::control
