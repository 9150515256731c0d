// Whether a process can hold what its role takes of memory, asked before any of it is taken: a job that cannot is
// refused in the words of the manifest, where an allocation would fail at each start, or the kernel would kill it.
#pragma once

#include <cstdint>

#include "trainer/loop/setup/setup.h"

namespace carrack::train {

// Of a record's features, as the model takes them.
std::uint64_t bytes_of_row(const Setup& setup);

// What shuffles in blocks may hold: half of the memory, or what parameters and caches leave.
std::uint64_t bytes_for_shuffles(const Setup& setup, const Config& config, std::uint64_t bytes);

// Each throws, for the user, where the role takes more than `bytes` at least.
void require_server_fits(const Setup& setup, std::size_t server, std::uint64_t bytes);
// `records` is how many there are in all: no batch is larger.
void require_worker_fits(const Setup& setup, const Config& config, std::uint64_t records, std::uint64_t bytes);

}  // namespace carrack::train
