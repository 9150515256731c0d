// Lists the files that match a pattern of paths, without temporary files (temporary_file.h). Opens only folders that
// the pattern can match. If a part of the pattern has `**`, opens all folders below the parts before it, but does not
// follow symbolic links to folders there, because they may form loops.
#pragma once

#include <string>
#include <vector>

namespace carrack::data {

// Returns the sorted paths of the regular files that match; empty if none does or a folder of the pattern does not
// exist. Storage::list() defines the wildcards. A relative pattern has relative results. Throws an Error if a folder
// cannot be listed.
std::vector<std::string> paths_matching(const std::string& pattern);

}  // namespace carrack::data
