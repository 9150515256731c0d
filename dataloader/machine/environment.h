// The environment variables of this process.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace carrack::data {

// Returns a copy of all variables: their values by name. Leaves out entries that have no '='. Not safe while another
// thread changes the environment.
std::map<std::string, std::string> environment_of_this_process();

// Returns NAME=VALUE for each variable, as execve() and posix_spawn() take it.
std::vector<std::string> environment_lines(const std::map<std::string, std::string>& environment);

}  // namespace carrack::data
