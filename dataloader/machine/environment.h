// The environment variables of this process. Not safe while another thread changes them.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace carrack::data {

// Returns the values of all variables by name. Entries without '=' are left out.
std::map<std::string, std::string> environment_of_this_process();

// Returns NAME=VALUE for each variable, the form in which a program gets its environment.
std::vector<std::string> environment_lines(const std::map<std::string, std::string>& environment);

}  // namespace carrack::data
