// Lists the files that match a pattern of paths, without temporary files. Opens only folders that the pattern can
// match. From a part with `**` on, opens all folders below the parts before it, except through symbolic links, which
// may form loops.
#pragma once

#include <string>
#include <vector>

namespace carrack::data {

// Returns the sorted paths of the files that match; empty if none does or a folder of the pattern does not exist. See
// Storage::list() for the wildcards. Throws an Error if a folder cannot be listed.
std::vector<std::string> paths_matching(const std::string& pattern);

}  // namespace carrack::data
