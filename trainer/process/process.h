// What a process of a job does before and after it runs its role, both in carrack-trainer and in a user's program
// (library/carrack.h).
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "trainer/launch/exit.h"
#include "trainer/launch/launch.h"
#include "trainer/loop/setup/role_context.h"

namespace carrack::train {

// Returns the value of a variable; empty if it is not set.
std::string value_of(const Environment& environment, const std::string& name);

// Reads the launch from the environment and the file that it names. Throws Error as parse_launch() does, and with
// Blame::platform if the file cannot be read.
Launch launch_from(const Environment& environment);

// Reads the key of the job. Returns null for strategy Single, where one process is the whole job. Throws Error with
// Blame::platform if the file cannot be read or has no valid key.
std::shared_ptr<const Key> key_of(const Launch& launch);

// Returns the storages and limits of this process. The first call makes the storages; later calls return the same ones,
// which live as long as the process. `key` is null for strategy Single.
RoleContext context_from(const Environment& environment, std::shared_ptr<const Key> key,
                         std::function<bool()> shutdown_requested);

// Serves /healthz at the address in the environment, if it names one, until the process ends. A separate thread
// answers, whatever the role does, so no answer means that the whole process has stopped. Throws Error with
// Blame::platform if it cannot serve there.
void serve_health(const Environment& environment);

// Arms the named point of the protocol (points.h) if a test has put one into the environment.
void arm_point(const Environment& environment);

// Returns the exit code of a process whose role threw `error`.
Exit exit_for(const std::exception& error);

}  // namespace carrack::train
