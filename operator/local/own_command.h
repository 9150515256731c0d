// Finds how `carrack run` starts the user's own program on this machine: with the command, arguments, environment and
// working folder of the container named trainer in the role's pod template. The image and volumes are not used.
#pragma once

#include <string>
#include <vector>

#include "operator/core/job.h"
#include "operator/core/validate.h"
#include "trainer/launch/launch.h"

namespace carrack::control {

struct OwnCommand {
  std::string program;                 // an absolute path; if no program is found, as the template names it
  std::vector<std::string> arguments;  // without the program's name
  train::Environment environment;      // without the variables of this process
  std::string folder;                  // the working folder; empty: that of this process
};

// Returns a problem for each part of the pod templates that does not work on this machine, such as a program that it
// does not have, or a variable with valueFrom. Empty if no role runs the user's own program.
std::vector<Problem> problems_of_own_commands(const JobSpec& spec);

// Returns the command of a role that runs the user's own program. problems_of_own_commands() must have found no
// problem. `variables` are those that Carrack sets for this process. The variables of the template are added, and
// replace those of the same name. As in Kubernetes, $(NAME) in commands, arguments and values becomes the value of one
// of these variables.
OwnCommand own_command(const JobSpec& spec, train::Role role, train::Environment variables);

}  // namespace carrack::control
