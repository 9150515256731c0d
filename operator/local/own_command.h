// The user's own program as a process of this machine: the command of the container named trainer, without its image
// and volumes.
#pragma once

#include <string>
#include <vector>

#include "operator/core/job.h"
#include "operator/core/validate.h"
#include "trainer/launch/launch.h"

namespace carrack::control {

struct OwnCommand {
  std::string program;  // a path
  std::vector<std::string> arguments;
  train::Environment environment;
  std::string folder;  // in which it runs; empty: that of this process
};

// What of the templates cannot be carried out on this machine.
std::vector<Problem> problems_of_own_commands(const JobSpec& spec);

// `variables` are those that Carrack sets; the container's own are added. As in Kubernetes $(NAME) stands for the
// value of a variable in commands, arguments and values. There must be no problems.
OwnCommand own_command(const JobSpec& spec, train::Role role, train::Environment variables);

}  // namespace carrack::control
