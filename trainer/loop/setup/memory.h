// Checks whether a process has the memory that its role needs, or with strategy Single all roles together, before any
// of it is allocated (planning/memory_need.h). If it has not, the job fails with a message about its manifest. Without
// the check an allocation would fail at each start, or the kernel would kill the process.
#pragma once

#include <cstdint>

#include "trainer/loop/setup/role_context.h"
#include "trainer/loop/setup/setup.h"
#include "trainer/planning/memory_need.h"

namespace carrack::train {

// Returns the size of the process that runs a role. `records` is the maximum number of records of a batch.
ProcessSize process_size(const RoleContext& context);
ProcessSize process_size(const RoleContext& context, std::uint64_t records);

// Returns the number of bytes that block shuffles may use: half of the process's memory, or less if model and caches
// leave less.
std::uint64_t bytes_for_shuffles(const Setup& setup, const Config& config, const ProcessSize& process);

// These throw Error with Blame::user if the process needs more than its memory. `server` is the index of the parameter
// server. In a process with all roles, require_server_fits() checks everything that does not depend on the data, and
// require_worker_fits() checks everything.
void require_server_fits(const Setup& setup, const Config& config, std::size_t server, const ProcessSize& process);
void require_worker_fits(const Setup& setup, const Config& config, const ProcessSize& process);

}  // namespace carrack::train
