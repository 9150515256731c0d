#include "operator/local/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "operator/core/exit_words.h"

namespace carrack::control {
namespace {

constexpr int exit_code_without_program = 127;

void report(int reports, SupervisorReport::Kind kind, int error = 0) {
  const SupervisorReport written{kind, error};
  if (write(reports, &written, sizeof written) < 0) return;  // The parent has ended, or reads no reports.
}

// Closes all descriptors except the first three and `reports`, because the locks and connections of the parent must not
// outlive the parent.
void keep_only(int reports) {
  const auto kept = static_cast<unsigned>(reports);
  if (kept > 3) syscall(SYS_close_range, 3U, kept - 1, 0U);
  syscall(SYS_close_range, kept + 1, ~0U, 0U);
}

void connect_output(int log) {
  const int empty_input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(empty_input, STDIN_FILENO);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
}

// Resets the handlers of the parent, which must not run in this process before it executes the program. Signals that
// are ignored stay ignored, as nohup needs it, except the two that `carrack run` itself ignores.
void reset_signals() {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    if (sigaction(number, nullptr, &action) != 0) continue;
    if (action.sa_handler != SIG_IGN || number == SIGPIPE || number == SIGXFSZ) signal(number, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void exec_program(const SupervisedProgram& program, pid_t supervisor, int reports) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) _exit(exit_code_without_program);
  reset_signals();
  if (*program.folder != '\0' && chdir(program.folder) != 0) {
    report(reports, SupervisorReport::Kind::no_folder, errno);
    _exit(exit_code_without_program);
  }
  execve(program.arguments[0], program.arguments, program.environment);
  report(reports, SupervisorReport::Kind::no_program, errno);
  _exit(exit_code_without_program);
}

// Reaps children that have ended. Returns the exit code of the program, or a negative number while it runs.
int exit_code_after(pid_t program, int reports) {
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED)) > 0) {
    if (ended != program) continue;  // an orphan that this process has adopted
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    if (WIFSIGNALED(status)) return signal_exit_base + WTERMSIG(status);
    report(reports, WIFSTOPPED(status) ? SupervisorReport::Kind::stopped : SupervisorReport::Kind::continued);
  }
  return -1;
}

struct KilledChildren {
  bool are_known = false;  // false if the kernel does not list children
  int found = 0;
  int killed = 0;
};

// Sends SIGKILL to each child of this process. The kernel's list has the children of this thread, which is the only
// thread.
KilledChildren kill_children() {
  KilledChildren children;
  const int list = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  children.are_known = list >= 0;
  char block[4096];
  pid_t child = 0;
  for (ssize_t size = 0; list >= 0 && (size = read(list, block, sizeof block)) > 0;) {
    for (const char* at = block; at < block + size; ++at) {
      if (*at >= '0' && *at <= '9') {
        child = child * 10 + (*at - '0');
        continue;
      }
      if (child == 0) continue;
      ++children.found;
      if (kill(child, SIGKILL) == 0) ++children.killed;
      child = 0;
    }
  }
  if (list >= 0) close(list);
  return children;
}

// Kills all descendants of this process and waits for their end. This process adopts the children of each process that
// dies, so it kills again until waitpid() says that no child is left. The kernel's list may miss a child for a moment.
void kill_descendants(pid_t program) {
  kill(-program, SIGKILL);  // Kills its process group. Most programs start nothing outside of it.
  while (true) {
    const KilledChildren children = kill_children();
    if (!children.are_known) return;
    if (children.found > 0 && children.killed == 0) return;  // They belong to another user, and cannot be killed.
    if (children.killed > 0 && waitpid(-1, nullptr, 0) < 0) return;
    pid_t ended = 0;
    while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (ended < 0) return;
    // A child is left that the list does not show yet: wait a millisecond.
    if (children.found == 0) poll(nullptr, 0, 1);
  }
}

}  // namespace

void supervise(const SupervisedProgram& program, pid_t parent, int reports) {
  // The supervisor has its own process group, because Ctrl-C at the terminal must reach only the parent, which suspends
  // the job.
  setpgid(0, 0);
  prctl(PR_SET_NAME, "supervisor");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  signal(SIGCHLD, SIG_DFL);
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, kill_all_signal);
  if (getppid() != parent) _exit(exit_code_without_program);
  connect_output(program.log);
  keep_only(reports);
  const pid_t supervisor = getpid();
  const pid_t started = fork();
  if (started == 0) exec_program(program, supervisor, reports);
  if (started < 0) {
    report(reports, SupervisorReport::Kind::no_program, errno);
    _exit(exit_code_without_program);
  }
  sigset_t awaited;
  sigemptyset(&awaited);
  for (const int number : {SIGTERM, SIGCHLD, kill_all_signal}) sigaddset(&awaited, number);
  while (true) {
    siginfo_t received;
    const int number = sigwaitinfo(&awaited, &received);
    int exit_code = exit_code_after(started, reports);
    if (exit_code < 0 && number == kill_all_signal) exit_code = signal_exit_base + SIGKILL;
    // Only a SIGTERM from the parent is passed on. Another sender, such as pkill, meant the parent: both processes have
    // the same command line.
    if (exit_code < 0 && number == SIGTERM && received.si_pid == parent) kill(started, SIGTERM);
    if (exit_code < 0) continue;
    kill_descendants(started);
    _exit(exit_code);
  }
}

}  // namespace carrack::control
