// Lists the files that match a pattern such as data/*/train-?.tfrecord, for FileStorage::list().
#pragma once

#include <string>
#include <vector>

namespace carrack::data {

// Returns the sorted paths of the regular files, and symbolic links to such, that match; empty if none does or a folder
// of the pattern does not exist. Temporary files of unfinished writers (temporary_file.h) are left out. Storage::list()
// (storage.h) defines the wildcards. A relative pattern has relative results. Throws Error if a folder cannot be
// listed.
//
// If the last part of the pattern has no wildcard, no folder is listed for it, because the folder may be large, or its
// listing forbidden. The path is returned even if there is no such file, so the caller must check.
//
// Opens only folders that the pattern can match. If a part of the pattern has `**`, opens all folders below the parts
// before it, but does not follow symbolic links to folders there, because they may form loops.
std::vector<std::string> paths_matching(const std::string& pattern);

}  // namespace carrack::data
