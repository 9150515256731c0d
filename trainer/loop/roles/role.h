// The entry point of a trainer process after its start: run() does the work of the process's role (coordinator,
// parameter server or worker) in the job.
#pragma once

#include <chrono>

#include "trainer/launch/exit.h"
#include "trainer/launch/launch.h"
#include "trainer/loop/setup/role_context.h"

namespace carrack::train {

// The maximum time from a shutdown request (such as SIGTERM) until a worker's run() returns, unless it is still opening
// its data, waits for the storage, or the trainer itself computes a longer step. carrack_leave() waits this long.
constexpr auto worker_leaves_within = std::chrono::seconds(20);

// Runs the role that the launch names; with strategy Single, all three roles in this process. Blocks until the job is
// done, the process has left after context.shutdown_requested() became true, or another process has replaced it, and
// returns which of these as the exit code. Throws Error or data::Error for a failure that ends the process; exit_for()
// (process/process.h) returns the exit code for it. With context.program, throws Exchange::ProgramLeft
// (library/exchange.h) once the program has left. `launch` and `context` must live until it returns.
Exit run(const Launch& launch, const RoleContext& context);

}  // namespace carrack::train
