// Checks at the start of a process whether it has the memory that its role needs, before any of it is allocated. With
// strategy Single it checks for all roles together. If memory is too small, the job fails with a message that names the
// field of the manifest. Without the check the kernel would kill the process (OOMKilled) at each start.
// planning/memory_need.h computes what is needed. `carrack step` also checks.
#pragma once

#include <cstdint>

#include "trainer/loop/setup/role_context.h"
#include "trainer/loop/setup/setup.h"
#include "trainer/planning/memory_need.h"

namespace carrack::train {

// Returns the CPUs and memory of this process as memory_need.h takes them. `records` is the maximum number of records
// of a batch; without it, the number is unlimited, so that training.batch counts.
ProcessSize process_size(const RoleContext& context);
ProcessSize process_size(const RoleContext& context, std::uint64_t records);

// Returns the number of bytes that block shuffles (Shuffle in stages.h) may use in this process: half of its memory, or
// less if model and caches leave less.
std::uint64_t bytes_for_shuffles(const Setup& setup, const Config& config, const ProcessSize& process);

// Throw Error with Blame::user if a parameter server or a worker needs more than process.memory. `server` is the index
// of the parameter server. In a process with all roles (process.one_process), require_server_fits() checks only the
// memory that does not depend on the data, of all roles, and require_worker_fits() checks everything.
void require_server_fits(const Setup& setup, const Config& config, std::size_t server, const ProcessSize& process);
void require_worker_fits(const Setup& setup, const Config& config, const ProcessSize& process);

}  // namespace carrack::train
