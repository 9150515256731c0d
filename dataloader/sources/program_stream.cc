#include "dataloader/sources/program_stream.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "dataloader/error.h"

namespace carrack::data {
namespace {

constexpr std::size_t error_bytes_max = 1024;             // of the program's standard error, for the message
constexpr std::chrono::milliseconds check_interval(100);  // how often read() calls check_cancelled while it waits

// Returns C strings with a null pointer at the end, as posix_spawn() requires.
std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> made;
  for (const std::string& text : texts) made.push_back(const_cast<char*>(text.c_str()));
  made.push_back(nullptr);
  return made;
}

// Starts the program in the process group `group`, and sets `pid`. Returns 0, or the errno of the failure.
int start(const Program& program, const Pipe& output, const Pipe& errors, pid_t group, pid_t& pid) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawnattr_init(&how);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&files, output.ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, errors.ends[1], STDERR_FILENO);
  sigset_t none, as_usual;
  sigemptyset(&none);
  sigemptyset(&as_usual);
  // This process may ignore these signals, and the program would inherit that. But they should end a program whose
  // output is closed or too long.
  for (const int signal : {SIGPIPE, SIGXFSZ}) sigaddset(&as_usual, signal);
  ::posix_spawnattr_setsigmask(&how, &none);
  ::posix_spawnattr_setsigdefault(&how, &as_usual);
  ::posix_spawnattr_setpgroup(&how, group);
  ::posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int failure = ::posix_spawnp(&pid, program.arguments[0].c_str(), &files, &how,
                                     pointers(program.arguments).data(), pointers(program.environment).data());
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&how);
  return failure;
}

}  // namespace

std::string name_of(const Program& program) {
  std::string name = "exec:";
  for (const std::string& argument : program.arguments) name += (name.back() == ':' ? "" : " ") + argument;
  return name;
}

ProgramStream::ProgramStream(const Program& program, std::chrono::milliseconds exit_timeout,
                             std::function<void()> check_cancelled)
    : exit_timeout_(exit_timeout), check_cancelled_(std::move(check_cancelled)) {
  if (program.arguments.empty()) throw Error("exec: no program is named");
  group_.emplace();
  Pipe output("a pipe cannot be made"), errors("a pipe cannot be made");
  const int failure = start(program, output, errors, group_->id(), pid_);
  if (failure != 0) throw Error(name_of(program) + ": cannot be started: " + std::strerror(failure));
  constexpr int pipe_bytes = 1 << 20;  // A larger pipe needs fewer context switches. A failure does not matter.
  ::fcntl(output.ends[0], F_SETPIPE_SZ, pipe_bytes);
  ::fcntl(errors.ends[0], F_SETFL, O_NONBLOCK);
  output_ = std::exchange(output.ends[0], -1);
  errors_ = std::exchange(errors.ends[0], -1);
}

ProgramStream::~ProgramStream() {
  close();
}

void ProgramStream::close() {
  ended_ = true;
  problem_.reset();
  end();
}

std::size_t ProgramStream::read(std::span<std::byte> into) {
  while (!ended_) {
    if (!wait(check_interval, true)) continue;
    const ssize_t size = ::read(output_, into.data(), into.size());
    if (size > 0) return static_cast<std::size_t>(size);
    if (size == 0) finish();
    if (size < 0 && errno != EINTR)
      throw Error(std::string("the output of a program cannot be read: ") + std::strerror(errno));
  }
  return 0;
}

// Waits for at most `timeout` until the program has written to its standard error or, if `for_output` is set, to its
// output. Reads the standard error, so that a full pipe does not block the program. Returns true if there is output to
// read, or the output has ended.
bool ProgramStream::wait(std::chrono::milliseconds timeout, bool for_output) {
  check_cancelled_();
  std::array<pollfd, 2> files = {{{errors_, POLLIN, 0}, {for_output ? output_ : -1, POLLIN, 0}}};
  ::poll(files.data(), files.size(), static_cast<int>(timeout.count()));
  if (files[0].revents != 0) read_errors();
  return files[1].revents != 0;
}

// Reads what the program has written to its standard error, and stores the last bytes for a message.
void ProgramStream::read_errors() {
  std::array<char, 4096> bytes;
  for (;;) {
    const ssize_t size = ::read(errors_, bytes.data(), bytes.size());
    if (size > 0) {
      error_output_.append(bytes.data(), static_cast<std::size_t>(size));
      if (error_output_.size() > error_bytes_max) error_output_.erase(0, error_output_.size() - error_bytes_max);
      continue;
    }
    const bool may_say_more = size < 0 && (errno == EAGAIN || errno == EINTR);
    if (!may_say_more) ::close(std::exchange(errors_, -1));
    return;
  }
}

// Waits at most exit_timeout_ for the end of the program, whose output has ended. Sets problem_ if the program fails or
// does not end.
void ProgramStream::finish() {
  constexpr std::chrono::milliseconds between(20);
  ended_ = true;
  siginfo_t info = {};
  const auto deadline = std::chrono::steady_clock::now() + exit_timeout_;
  while (info.si_pid == 0 && std::chrono::steady_clock::now() < deadline) {
    if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0)
      wait(between, false);
  }
  if (errors_ >= 0) read_errors();
  const bool has_ended = info.si_pid != 0;
  const std::optional<std::string> how = end();
  if (!has_ended)
    problem_ = {Fault::program_failed, "the program has closed its output, and goes on running" + error_lines()};
  else if (how)
    problem_ = {Fault::program_failed, "the program " + *how + error_lines()};
}

// Kills the group and reaps the program. Returns how the program ended; nullopt for exit code 0 or if it was reaped
// earlier.
std::optional<std::string> ProgramStream::end() {
  for (int* file : {&output_, &errors_})
    if (*file >= 0) ::close(std::exchange(*file, -1));
  group_.reset();
  if (pid_ < 0) return std::nullopt;
  // The program may have left the group and lead its own group, as `timeout` does. So this also kills the program and
  // its group by the program's number, which the system does not use again before waitpid().
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
  pid_ = -1;
  if (WIFSIGNALED(status)) return "was ended by signal " + std::to_string(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) return "ended with exit code " + std::to_string(WEXITSTATUS(status));
  return std::nullopt;
}

// Returns the last lines of the standard error, as the end of a message. Leaves out a first line that may be
// incomplete.
std::string ProgramStream::error_lines() const {
  std::string_view words = error_output_;
  const std::size_t end = words.find_last_not_of(" \t\r\n");
  words = words.substr(0, end == words.npos ? 0 : end + 1);
  const std::size_t line = words.find('\n');
  if (error_output_.size() >= error_bytes_max && line != words.npos) words.remove_prefix(line + 1);
  return words.empty() ? "" : "; it said: " + std::string(words);
}

}  // namespace carrack::data
