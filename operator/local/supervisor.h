// The process between `carrack run` and a program that it starts. When the program ends, the supervisor kills all
// processes that the program has started, even those that left its process group or session, because orphans become
// children of the supervisor. When the thread that forked the supervisor ends, in whatever way, the supervisor kills
// all of them. It cannot kill processes of another user. If the supervisor itself gets SIGKILL, the kernel kills the
// program, but processes that the program has started continue.
#pragma once

#include <signal.h>
#include <sys/types.h>

namespace carrack::control {

// `arguments` and `environment` end with a null pointer; arguments[0] is the path of the program.
struct SupervisedProgram {
  const char* folder;  // the working folder; empty: that of this process
  char* const* arguments;
  char* const* environment;
  int log;  // a descriptor that gets its standard output and standard error; its standard input is empty
};

// What a supervisor writes to the pipe `reports`, each report with one write().
struct SupervisorReport {
  // The folder cannot be entered; the program cannot be executed, or no process can be made for it; the program was
  // stopped by a signal, or has continued.
  enum class Kind : int { no_folder, no_program, stopped, continued };
  Kind kind = Kind::stopped;
  int error = 0;  // the errno of no_folder and no_program
};

// At this signal the supervisor kills the program and all that it has started. If `parent` sends SIGTERM, it sends
// SIGTERM to the program alone. It ignores a SIGTERM from any other process.
constexpr int kill_all_signal = SIGUSR1;

// Makes this process a supervisor. It must be a new child of `parent`, forked with all signals blocked. `reports` is
// the descriptor to which it writes SupervisorReports; it closes all other descriptors. The process ends once all that
// the program has started has ended, with the exit code of the program, 128 + n after signal n, or 127 if the program
// cannot be executed or its folder cannot be entered. Makes only calls that are async-signal-safe.
[[noreturn]] void supervise(const SupervisedProgram& program, pid_t parent, int reports);

}  // namespace carrack::control
