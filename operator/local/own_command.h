// Runs the user's own program as a process of this machine: finds the command of the container named trainer in the
// role's pod template. Its image and volumes are not used.
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
  std::string folder;  // the working folder; empty: that of this process
};

// Returns what in the pod templates cannot be carried out on this machine, such as a program that it does not have.
std::vector<Problem> problems_of_own_commands(const JobSpec& spec);

// Returns the command of a role for which problems_of_own_commands() finds no problem. `variables` are those that
// Carrack sets; the container's are added. As in Kubernetes, $(NAME) in commands, arguments and values stands for the
// value of a variable.
OwnCommand own_command(const JobSpec& spec, train::Role role, train::Environment variables);

}  // namespace carrack::control
