// The files that sources read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataloader/storage/storages.h"

namespace carrack::data {

// Of each pattern in turn, in the order of their names. Throws an Error where one stands for nothing.
std::vector<Listed> source_files(const Storages& storages, const std::vector<std::string>& patterns);

// True if any of them lies in a remote storage: then each read at a random place costs a request.
bool are_far(const Storages& storages, const std::vector<Listed>& files);

// Tells them from all others, and from what they were before somebody wrote one anew: by their sizes and versions.
std::string versions_of(const std::vector<Listed>& files);

std::uint64_t bytes_in(const std::vector<Listed>& files);

}  // namespace carrack::data
