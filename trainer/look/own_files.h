// Finds files that a job writes itself among the files that it reads as data. They are not allowed, because each start
// of the job would then find other data. Judges by names, and reads no storage. look_at() (look.h) calls
// it, and each process of a job that finds its files (loop/data/job_files.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "trainer/launch/config.h"

namespace carrack::train {

// The folder in the checkpoint folder to which a job writes the indexes that it builds.
inline constexpr std::string_view index_folder = "indexes";

// Returns "gs://b/* matches HEAD, which the job itself writes to spec.checkpoint.folder; ..." if `pattern` matches a
// file that the job may write, to the checkpoint folder or as a snapshot; otherwise nullopt. `pattern` is a path or
// URL. Throws data::Refused if it is empty or not the URL of an object.
std::optional<std::string> own_file_problem(const std::string& pattern, const Config& config);

}  // namespace carrack::train
