// Checks, before any of it is allocated, whether a process has the memory that its role needs, or with strategy Single
// all roles together (planning/memory_need.h). A job that needs more is refused in the words of its manifest; else an
// allocation would fail at each start, or the kernel would kill the process.
#pragma once

#include <cstdint>

#include "trainer/loop/setup/role_context.h"
#include "trainer/loop/setup/setup.h"
#include "trainer/planning/memory_need.h"

namespace carrack::train {

// The process that runs a role; of the second, no batch has more than `records` records.
ProcessSize process_size(const RoleContext& context);
ProcessSize process_size(const RoleContext& context, std::uint64_t records);

// The memory that shuffles in blocks may use: half of that of the process, or what model and caches leave of it.
std::uint64_t bytes_for_shuffles(const Setup& setup, const Config& config, const ProcessSize& process);

// Both throw Error, with Blame::user, if the process needs more than its memory. In a process with all roles the check
// of the server is of all that does not depend on the data, and that of the worker of everything.
void require_server_fits(const Setup& setup, const Config& config, std::size_t server, const ProcessSize& process);
void require_worker_fits(const Setup& setup, const Config& config, const ProcessSize& process);

}  // namespace carrack::train
