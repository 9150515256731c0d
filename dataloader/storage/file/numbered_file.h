// A small file that is changed by compare-and-set. The object NAME is the file NAME.<n> with the highest n; a writer
// replaces it by giving a complete and synced file the name NAME.<n+1>, which only one writer can do.
// docs/formats/head.md shows why this is correct wherever a writer is stopped.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "dataloader/storage/storage.h"

namespace carrack::data {

// Both functions throw Error for more than small_object_limit bytes.

// nullopt if there is no NAME.<n>.
std::optional<Latest> latest_numbered(const std::string& path);

// Without `expected` there must be no NAME.<n> yet. Removes older files. Returns nullopt if another writer was first.
// `unique_name` becomes a part of the name of a temporary file; no other writer in this folder may use the same.
std::optional<Version> replace_numbered(const std::string& path, const std::optional<Version>& expected,
                                        std::span<const std::byte> bytes, const std::string& unique_name);

}  // namespace carrack::data
