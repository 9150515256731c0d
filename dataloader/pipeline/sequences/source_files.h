// The files that a source reads, and what they have in common.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataloader/storage/storages.h"

namespace carrack::data {

// The files of each pattern in turn, in the order of their names. Throws an Error if a pattern matches none.
std::vector<Listed> source_files(const Storages& storages, const std::vector<std::string>& patterns);

// True if any file is behind a network, so that each read takes a request.
bool any_remote(const Storages& storages, const std::vector<Listed>& files);

// The sizes and versions of the files, a line each: another text once any of them has been written again.
std::string file_versions(const std::vector<Listed>& files);

std::uint64_t total_bytes(const std::vector<Listed>& files);

}  // namespace carrack::data
