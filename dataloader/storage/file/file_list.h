// The files that match a pattern of paths, without opening more folders than it names. Temporary files are passed over,
// and folders reached through a link are not searched for `**`, as such links may run in circles.
#pragma once

#include <string>
#include <vector>

namespace carrack::data {

// Sorted.
std::vector<std::string> paths_matching(const std::string& pattern);

}  // namespace carrack::data
