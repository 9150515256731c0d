// Runs the roles of a process until its job is done or the process has to end, and returns how it ended. A failure that
// ends the process is thrown as Error or data::Error; the main function turns it into an exit code and a message.
#pragma once

#include <chrono>

#include "trainer/launch/exit.h"
#include "trainer/launch/launch.h"
#include "trainer/loop/setup/role_context.h"

namespace carrack::train {

// The maximum time from a shutdown request to the end of a worker, unless it waits for the storage.
constexpr auto worker_leaves_within = std::chrono::seconds(20);

// Runs the role that the launch names; with strategy Single, all three roles.
Exit run(const Launch& launch, const RoleContext& context);

}  // namespace carrack::train
