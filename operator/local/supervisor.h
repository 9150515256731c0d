// The process between `carrack run` and a program that it starts. Whatever the program has started ends with it, also
// what left its process group or its session: orphans become children of the supervisor, which kills them. The same
// happens when `carrack run` ends, however that is. What the supervisor cannot end runs as another user, or lost it:
// if the supervisor itself is killed with SIGKILL, the kernel ends the program, and nobody what that has started.
#pragma once

#include <signal.h>
#include <sys/types.h>

namespace carrack::control {

// The arguments and the environment end with a null pointer; arguments[0] is the path of the program.
struct SupervisedProgram {
  const char* folder;  // in which it runs; empty: that of this process
  char* const* arguments;
  char* const* environment;
  int log;  // a descriptor that gets its output
};

// What a supervisor writes to its descriptor of reports, whole at once.
struct SupervisorReport {
  enum class Kind : int { no_folder, no_program, stopped, continued };
  Kind kind = Kind::stopped;
  int error = 0;  // errno, of the first two
};

// To the supervisor SIGTERM means to send SIGTERM to the program, and this to kill the program and all that it has
// started.
constexpr int kill_all_signal = SIGUSR1;

// Makes this process, the child of `parent` after a fork with all signals blocked, a supervisor. It ends with the exit
// code of the program, 128 + n after signal n, or 127 if the program cannot be executed, once all that the program has
// started has ended. Makes only calls that are async-signal-safe.
[[noreturn]] void supervise(const SupervisedProgram& program, pid_t parent, int reports);

}  // namespace carrack::control
