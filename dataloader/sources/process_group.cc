#include "dataloader/sources/process_group.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "dataloader/error.h"

namespace carrack::data {
namespace {

// The main function of the group's leader, which is a forked child of this process. Other threads of this process may
// have had locks at the fork, so the leader only makes system calls. It closes all inherited files but the two pipes:
// one of them may be an end of another pipe, whose reader would then never see the end. It writes a byte to `ready`
// once it is ready. The end of `lifeline` means that this process has ended, and the leader then kills the group.
[[noreturn]] void stand_guard(int lifeline, int ready) {
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, nullptr);
  const bool is_alone = ::setpgid(0, 0) == 0 && ::dup2(lifeline, STDIN_FILENO) == STDIN_FILENO &&
                        ::dup2(ready, STDOUT_FILENO) == STDOUT_FILENO && ::close_range(STDOUT_FILENO + 1, ~0U, 0) == 0;
  char nothing = 0;
  if (!is_alone || ::write(STDOUT_FILENO, &nothing, 1) != 1) ::_exit(1);
  ::close(STDOUT_FILENO);
  while (::read(STDIN_FILENO, &nothing, 1) < 0 && errno == EINTR) continue;
  ::kill(0, SIGKILL);
  ::_exit(0);
}

constexpr const char* unguarded = "a program cannot be guarded";

[[noreturn]] void throw_unguarded(const std::string& why) {
  throw Error(std::string(unguarded) + ": " + why);
}

}  // namespace

Pipe::Pipe(const char* problem) {
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw Error(std::string(problem) + ": " + std::strerror(errno));
}

Pipe::~Pipe() {
  for (const int end : ends)
    if (end >= 0) ::close(end);
}

ProcessGroup::ProcessGroup() {
  Pipe life(unguarded), readiness(unguarded);
  guard_ = ::fork();
  if (guard_ == 0) stand_guard(life.ends[0], readiness.ends[1]);
  if (guard_ < 0) throw_unguarded(std::strerror(errno));
  ::close(std::exchange(readiness.ends[1], -1));
  char byte = 0;
  ssize_t said = 0;
  while ((said = ::read(readiness.ends[0], &byte, 1)) < 0 && errno == EINTR) continue;
  if (said != 1) {
    while (::waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) continue;
    throw_unguarded("this kernel does not let a process close what it does not need (close_range)");
  }
  lifeline_ = std::exchange(life.ends[1], -1);
}

ProcessGroup::~ProcessGroup() {
  ::kill(-guard_, SIGKILL);  // Must come before waitpid(): after that the system may give the number to another group.
  ::close(lifeline_);
  while (::waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) continue;
}

}  // namespace carrack::data
