// The environment variables of this process. Not safe beside a thread that changes them.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace carrack::data {

// By name; entries without '=' are left out.
std::map<std::string, std::string> environment_of_this_process();

// As programs get them: NAME=VALUE.
std::vector<std::string> environment_lines(const std::map<std::string, std::string>& environment);

}  // namespace carrack::data
