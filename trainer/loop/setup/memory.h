// Checks whether a process has the memory that its role needs, or with strategy Single all roles together, before any
// of it is allocated (planning/memory_need.h). The job then fails with a message about its manifest. Otherwise an
// allocation would fail at each start, or the kernel would kill the process.
#pragma once

#include <cstdint>

#include "trainer/loop/setup/role_context.h"
#include "trainer/loop/setup/setup.h"
#include "trainer/planning/memory_need.h"

namespace carrack::train {

// Describes the process that runs a role. `records` is the most records that a batch has.
ProcessSize process_size(const RoleContext& context);
ProcessSize process_size(const RoleContext& context, std::uint64_t records);

// The bytes that block shuffles may use: half of the process's memory, or less if model and caches leave less.
std::uint64_t bytes_for_shuffles(const Setup& setup, const Config& config, const ProcessSize& process);

// These throw Error with Blame::user if the process needs more than its memory. In a process with all roles, the
// server's check covers everything that does not depend on the data, and the worker's check covers everything.
void require_server_fits(const Setup& setup, const Config& config, std::size_t server, const ProcessSize& process);
void require_worker_fits(const Setup& setup, const Config& config, const ProcessSize& process);

}  // namespace carrack::train
