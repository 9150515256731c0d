// Compare-and-set on a file system: implements latest() and replace_if() of FileStorage, with which the processes of a
// job change a small file, such as HEAD of the checkpoints, without losing each other's changes. The object NAME is the
// file NAME.<n> with the highest n, from 1 on. A writer replaces it by giving a complete and synced file the name
// NAME.<n+1>, which only one writer can do. docs/formats/head.md shows why this is correct wherever a writer is
// stopped.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "dataloader/storage/storage.h"

namespace carrack::data {

// In both functions `path` is the path of NAME, and the version is n in decimal digits. Both throw Error for more than
// small_object_limit bytes, and if the file system fails.

// Returns the content and the version of the object; nullopt if no NAME.<n> exists.
std::optional<Latest> latest_numbered(const std::string& path);

// Replaces the version `expected`; if it is nullopt, no NAME.<n> may exist yet. Returns nullopt if another writer was
// first, and otherwise the new version, which is durable. Removes older files, and makes missing folders. `unique_name`
// becomes a part of the name of a temporary file; no other writer in this folder may use the same one. Throws Refused
// if the file system has no hard links.
std::optional<Version> replace_numbered(const std::string& path, const std::optional<Version>& expected,
                                        std::span<const std::byte> bytes, const std::string& unique_name);

}  // namespace carrack::data
