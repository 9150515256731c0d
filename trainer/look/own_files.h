// Files that a job writes itself must not be among those that it reads: each start would find other data. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "trainer/launch/config.h"

namespace carrack::train {

// The folder within the checkpoint folder in which a job keeps the indexes that it builds.
inline constexpr std::string_view index_folder = "indexes";

// "gs://b/* matches HEAD, which the job itself writes to spec.checkpoint.folder; ..." for a pattern of data that does;
// nullopt for any other. Throws data::Refused for what is no URL.
std::optional<std::string> matched_own_file(const std::string& pattern, const Config& config);

}  // namespace carrack::train
