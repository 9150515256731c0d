#include "operator/local/child.h"
#include "operator/core/exit_words.h"

#include <fcntl.h>
#include <signal.h>
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
#include "operator/local/supervisor.h"

namespace carrack::control {
namespace {

using Clock = std::chrono::steady_clock;

// Returns true if a later start may succeed: the error is one of the machine, or the file is just being written.
bool passes_by_itself(int error) {
  constexpr int passing[] = {EAGAIN, EINTR, EIO, EMFILE, ENFILE, ENOMEM, ESTALE, ENOTCONN, ETIMEDOUT, ETXTBSY};
  return std::ranges::find(passing, error) != std::end(passing);
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Forks the supervisor. Returns its process ID, or -1 with errno set. The supervisor begins with all signals blocked,
// so that it loses none before it waits for them.
pid_t start_supervisor(const SupervisedProgram& program, int reports) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t parent = getpid();
  const pid_t started = fork();
  if (started == 0) supervise(program, parent, reports);
  const int failure = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = failure;
  return started;
}

}  // namespace

Child::Child(const ChildCommand& command) : program_(command.program), folder_(command.folder), log_(command.log) {
  std::map<std::string, std::string> variables = command.environment;
  variables.merge(data::environment_of_this_process());
  const std::vector<std::string> environment = data::environment_lines(variables);
  std::vector<std::string> arguments = {command.program};
  arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
  const int log = open(command.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (log < 0) throw Error(Blame::platform, command.log + ": cannot be written: " + std::strerror(errno));
  int reports[2] = {-1, -1};
  if (pipe2(reports, O_CLOEXEC | O_NONBLOCK) == 0) {
    const std::vector<char*> argument_list = pointers_to(arguments);
    const std::vector<char*> variable_list = pointers_to(environment);
    supervisor_ = start_supervisor({folder_.c_str(), argument_list.data(), variable_list.data(), log}, reports[1]);
  }
  const int failure = errno;
  close(log);
  if (reports[1] >= 0) close(reports[1]);
  reports_ = reports[0];
  if (supervisor_ > 0) {
    end_event_ = static_cast<int>(syscall(SYS_pidfd_open, supervisor_, 0));
    return;
  }
  if (reports_ >= 0) close(reports_);
  throw Error(Blame::platform, command.program + ": cannot be started: " + std::strerror(failure));
}

Child::Child(Child&& other) noexcept
    : supervisor_(std::exchange(other.supervisor_, 0)),
      end_event_(std::exchange(other.end_event_, -1)),
      reports_(std::exchange(other.reports_, -1)),
      program_(std::move(other.program_)),
      folder_(std::move(other.folder_)),
      log_(std::move(other.log_)),
      cannot_start_(other.cannot_start_),
      exit_code_(other.exit_code_),
      termination_message_(std::move(other.termination_message_)),
      stopped_since_(other.stopped_since_),
      kill_at_(other.kill_at_) {}

Child::~Child() {
  if (end_event_ >= 0) close(end_event_);
  if (reports_ >= 0) close(reports_);
  if (supervisor_ == 0 || !running()) return;
  signal_supervisor(kill_all_signal);
  while (waitpid(supervisor_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

// Sends SIGCONT, too, because a supervisor that is stopped does not handle the signal before it continues.
void Child::signal_supervisor(int number) const {
  kill(supervisor_, number);
  kill(supervisor_, SIGCONT);
}

void Child::note_failed_start(const std::string& path, int error) {
  const bool lacks_interpreter = error == ENOENT && access(path.c_str(), F_OK) == 0;
  termination_message_ =
      path + ": " + (lacks_interpreter ? "the interpreter that it names: " : "") + std::strerror(error);
  cannot_start_ = !passes_by_itself(error);
}

void Child::read_reports() {
  SupervisorReport report;
  while (read(reports_, &report, sizeof report) == sizeof report) {
    switch (report.kind) {
      case SupervisorReport::Kind::no_folder:
        note_failed_start(folder_, report.error);
        break;
      case SupervisorReport::Kind::no_program:
        note_failed_start(program_, report.error);
        break;
      case SupervisorReport::Kind::stopped:
        stopped_since_ = Clock::now();
        break;
      case SupervisorReport::Kind::continued:
        stopped_since_.reset();
        break;
    }
  }
}

void Child::poll() {
  if (!running()) return;
  int status = 0;
  const bool has_changed = waitpid(supervisor_, &status, WNOHANG | WUNTRACED) == supervisor_;
  const bool has_ended = has_changed && !WIFSTOPPED(status);
  if (has_changed && !has_ended) kill(supervisor_, SIGCONT);  // A stopped supervisor could not kill the program.
  read_reports();
  if (has_ended) {
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : signal_exit_base + WTERMSIG(status);
    if (*exit_code_ != 0 && termination_message_.empty()) termination_message_ = last_words(log_);
  } else if (kill_at_ && Clock::now() >= *kill_at_) {
    signal_supervisor(kill_all_signal);
  }
}

void Child::terminate(Clock::duration grace) {
  if (!running()) return;
  const Clock::time_point at = Clock::now() + grace;
  if (!kill_at_) signal_supervisor(SIGTERM);
  kill_at_ = kill_at_ ? std::min(*kill_at_, at) : at;
  poll();
}

}  // namespace carrack::control
