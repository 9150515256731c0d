// Finds files that a job writes itself among the files that it reads as data. They must not be, because each start
// would then find other data. Reads no storage.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "trainer/launch/config.h"

namespace carrack::train {

// The folder in the checkpoint folder to which a job writes the indexes that it builds.
inline constexpr std::string_view index_folder = "indexes";

// Returns "gs://b/* matches HEAD, which the job itself writes to spec.checkpoint.folder; ..." if a pattern of data
// matches a file that the job writes, to the checkpoint folder or as a snapshot; otherwise nullopt. Throws
// data::Refused if the pattern is not a URL.
std::optional<std::string> own_file_problem(const std::string& pattern, const Config& config);

}  // namespace carrack::train
