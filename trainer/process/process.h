// What a process of a job does before and after it runs its role, whether its main is carrack-trainer or a program of
// the user's (library/carrack.h).
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "trainer/launch/exit.h"
#include "trainer/launch/launch.h"
#include "trainer/loop/setup/role_context.h"

namespace carrack::train {

// Empty if the variable is not set.
std::string value_of(const Environment& environment, const std::string& name);

// The launch that the environment describes, with the file that it names. Throws as parse_launch(), and Error, with
// Blame::platform, if the file cannot be read.
Launch launch_from(const Environment& environment);

// The key of the job; null with strategy Single, where one process is the whole job.
std::shared_ptr<const Key> key_of(const Launch& launch);

// With the storages and the limits of this process. What it refers to lives as long as the process.
RoleContext context_from(const Environment& environment, std::shared_ptr<const Key> key,
                         std::function<bool()> shutdown_requested);

// Serves /healthz where the environment says, from a thread of its own as long as the process lives, whatever its role
// does. Without an answer the process is stopped or frozen as a whole.
void serve_health(const Environment& environment);

// Arms the named point of the protocol that a test has put into the environment, if there is one.
void arm_point(const Environment& environment);

// With which code a process ends whose role threw this.
Exit exit_for(const std::exception& error);

}  // namespace carrack::train
