// What a process of a job does before and after it runs its role: reads its configuration and key, makes the context of
// the role, serves /healthz, and turns an exception into an exit code. Both carrack-trainer and a user's program
// (library/carrack.h) use it. The usual order is launch_from(), key_of(), context_from(), then run() (role.h).
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "trainer/launch/exit.h"
#include "trainer/launch/launch.h"
#include "trainer/loop/setup/role_context.h"

namespace carrack::train {

// Returns the value of the environment variable `name`; empty if it is not set.
std::string value_of(const Environment& environment, const std::string& name);

// Reads the launch (all that the operator passes to a process of a job) from the environment, and from the
// configuration file that the environment names. Throws Error as parse_launch() does, and with Blame::platform if the
// file cannot be read.
Launch launch_from(const Environment& environment);

// Reads the key of the job, by which its processes prove to each other that they belong to the job. Returns null for
// strategy Single, where one process is the whole job. Throws Error with Blame::platform if the file cannot be read or
// has no valid key.
std::shared_ptr<const Key> key_of(const Launch& launch);

// Returns the context for a role: storages, the memory and CPUs of this process, a nonce, a clock and a log on standard
// error. The first call makes the storages; later calls use the same ones, which live as long as the process. `key` is
// null for strategy Single, and for commands without a job. `shutdown_requested` is RoleContext::shutdown_requested.
// The caller sets report_end and `program`.
RoleContext context_from(const Environment& environment, std::shared_ptr<const Key> key,
                         std::function<bool()> shutdown_requested);

// Serves /healthz, for the pod's liveness probe, at the address in the environment, until the process ends. Does
// nothing if the environment names no address. A separate thread answers, even while the role is busy, so no answer
// means that the whole process has stopped. Call it once. Throws Error with Blame::platform if it cannot serve there.
void serve_health(const Environment& environment);

// For tests: arms the crash point (points.h) that the environment variable CARRACK_TEST_POINT names; does nothing
// without it. Throws Error with Blame::user if its value is malformed.
void arm_point(const Environment& environment);

// Prints the text, which then becomes the termination message of the process, and ends the process with
// Exit::platform_error. Waits for no thread, because one of them hangs. context_from() passes it as report_hang.
[[noreturn]] void end_hung_process(const std::string& text);

// Returns the exit code of a process whose role threw `error`: by the Blame of an Error, checkpoint_taken for
// FolderTaken, user_error for data::Refused, and platform_error for any other exception.
Exit exit_for(const std::exception& error);

}  // namespace carrack::train
