// Checks, before any of it is allocated, whether a process has the memory that its role needs. A job that needs more is
// refused in the words of its manifest; else an allocation would fail at each start, or the kernel would kill the
// process.
#pragma once

#include <cstdint>

#include "trainer/loop/setup/setup.h"

namespace carrack::train {

// Bytes of one record's features in the form that the model takes.
std::uint64_t bytes_of_row(const Setup& setup);

// The memory that shuffles in blocks may use: half of `bytes`, or what parameters and caches leave of it.
std::uint64_t bytes_for_shuffles(const Setup& setup, const Config& config, std::uint64_t bytes);

// Both throw Error, with Blame::user, if the role needs more than `bytes`.
void require_server_fits(const Setup& setup, std::size_t server, std::uint64_t bytes);
// `records` is the number of records in the data: no batch has more.
void require_worker_fits(const Setup& setup, const Config& config, std::uint64_t records, std::uint64_t bytes);

}  // namespace carrack::train
