// A small file that is changed by compare-and-set: NAME is the highest NAME.<n>, and to change it is to be the one who
// gives a whole and synced file the name NAME.<n+1>. docs/formats/head.md says why this holds whoever is stopped where.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "dataloader/storage/storage.h"

namespace carrack::data {

std::optional<Latest> latest_numbered(const std::string& path);

// `unique` as in TemporaryFile. Nothing: lost.
std::optional<Version> replace_numbered(const std::string& path, const std::optional<Version>& expected,
                                        std::span<const std::byte> bytes, const std::string& unique);

}  // namespace carrack::data
