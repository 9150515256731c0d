// The supervisor is a small process between `carrack run` and each program that it starts (Child in child.h). It
// ensures that no process of a job is left over:
// - When the program ends, the supervisor kills all processes that the program has started, even those that left its
//   process group or session, because orphans become children of the supervisor (PR_SET_CHILD_SUBREAPER).
// - When the thread that forked the supervisor ends, in whatever way, the supervisor kills the program, too.
// It cannot kill processes of another user. If the supervisor itself gets SIGKILL, the kernel kills the program, but
// processes that the program has started continue.
#pragma once

#include <signal.h>
#include <sys/types.h>

namespace carrack::control {

// The arguments of execve(): `arguments` and `environment` end with a null pointer; arguments[0] is the path of the
// program.
struct SupervisedProgram {
  const char* folder;  // the working folder; empty: that of this process
  char* const* arguments;
  char* const* environment;
  int log;  // a descriptor that gets its standard output and standard error; its standard input is empty
};

// What a supervisor writes to the pipe `reports`, each report with one write().
struct SupervisorReport {
  enum class Kind : int {
    no_folder,   // the working folder cannot be entered
    no_program,  // the program cannot be executed, or no process can be created for it
    stopped,     // a signal has stopped the program (SIGSTOP)
    continued,   // the program runs again (SIGCONT)
  };
  Kind kind = Kind::stopped;
  int error = 0;  // the errno of no_folder and no_program; 0 for the others
};

// At this signal the supervisor kills (SIGKILL) the program and all that it has started. If `parent` sends SIGTERM, the
// supervisor sends SIGTERM to the program alone. It ignores a SIGTERM from any other process.
constexpr int kill_all_signal = SIGUSR1;

// Makes this process the supervisor: starts the program, and never returns. Call it in a new child of `parent`, forked
// with all signals blocked. It makes only calls that are async-signal-safe. `reports` is the descriptor to which it
// writes SupervisorReports; it closes all others. The process ends once the program and all that it has started have
// ended. Its exit code is that of the program, 128 + n after signal n, or 127 if the program cannot be executed or its
// folder cannot be entered.
[[noreturn]] void supervise(const SupervisedProgram& program, pid_t parent, int reports);

}  // namespace carrack::control
