// paths_matching(): the files that match a pattern of paths. Only folders that the pattern can match are opened. Files
// that are being written are skipped. For `**`, folders behind symbolic links are not searched, as links may form
// loops.
#pragma once

#include <string>
#include <vector>

namespace carrack::data {

// The paths, sorted; see Storage::list() for the wildcards.
std::vector<std::string> paths_matching(const std::string& pattern);

}  // namespace carrack::data
