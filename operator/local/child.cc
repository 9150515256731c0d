#include "operator/local/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "dataloader/machine/environment.h"
#include "operator/error.h"
#include "operator/local/log_files.h"

namespace carrack::control {
namespace {

using Clock = std::chrono::steady_clock;

// Runs between fork and exec, so it makes only calls that are async-signal-safe.
[[noreturn]] void exec_program(const char* folder, char* const* arguments, char* const* environment, int log,
                               pid_t parent) {
  // Its own process group: Ctrl-C at the terminal must reach only this program, which then suspends the job.
  setpgid(0, 0);
  for (const int ignored : {SIGPIPE, SIGXFSZ}) signal(ignored, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int empty_input = open("/dev/null", O_RDONLY);
  dup2(empty_input, STDIN_FILENO);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  if (*folder != '\0' && chdir(folder) != 0) _exit(127);
  execve(arguments[0], arguments, environment);
  _exit(127);
}

}  // namespace

Child::Child(const ChildCommand& command) : log_(command.log) {
  if (access(command.program.c_str(), X_OK) != 0) {
    throw Error(Blame::platform, command.program + ": cannot be started: " + std::strerror(errno));
  }
  std::map<std::string, std::string> variables = command.environment;
  variables.merge(data::environment_of_this_process());
  const std::vector<std::string> lines = data::environment_lines(variables);
  std::vector<char*> environment;
  for (const std::string& line : lines) environment.push_back(const_cast<char*>(line.c_str()));
  environment.push_back(nullptr);
  std::vector<char*> arguments = {const_cast<char*>(command.program.c_str())};
  for (const std::string& argument : command.arguments) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const int log = open(command.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (log < 0) throw Error(Blame::platform, command.log + ": cannot be written: " + std::strerror(errno));
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) exec_program(command.folder.c_str(), arguments.data(), environment.data(), log, parent);
  const int failure = errno;
  close(log);
  if (pid_ < 0) throw Error(Blame::platform, command.program + ": cannot be started: " + std::strerror(failure));
  end_event_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      end_event_(std::exchange(other.end_event_, -1)),
      log_(std::move(other.log_)),
      exit_code_(other.exit_code_),
      termination_message_(std::move(other.termination_message_)),
      stopped_since_(other.stopped_since_),
      kill_at_(other.kill_at_) {}

Child::~Child() {
  if (end_event_ >= 0) close(end_event_);
  if (pid_ == 0 || !running()) return;
  kill(-pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Child::poll() {
  int status = 0;
  while (running() && waitpid(pid_, &status, WNOHANG | WUNTRACED | WCONTINUED) == pid_) {
    if (WIFEXITED(status)) exit_code_ = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) exit_code_ = 128 + WTERMSIG(status);
    if (WIFSTOPPED(status)) stopped_since_ = Clock::now();
    if (WIFCONTINUED(status)) stopped_since_.reset();
    if (exit_code_.value_or(0) != 0) termination_message_ = last_words(log_);
    if (exit_code_) kill(-pid_, SIGKILL);  // As in a pod, what it has started ends with it.
  }
  if (running() && kill_at_ && Clock::now() >= *kill_at_) kill(-pid_, SIGKILL);
}

void Child::terminate(Clock::duration grace) {
  if (!running()) return;
  const Clock::time_point at = Clock::now() + grace;
  if (!kill_at_) kill(pid_, SIGTERM);
  kill_at_ = kill_at_ ? std::min(*kill_at_, at) : at;
  poll();
}

}  // namespace carrack::control
