#include "dataloader/sources/process_group.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "dataloader/error.h"

namespace carrack::data {
namespace {

// In a child of a process with other threads: nothing but calls of the kernel. No other file stays open, or an end of
// some pipe would be held here.
[[noreturn]] void stand_guard(int lifeline) {
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, nullptr);
  const bool is_alone = ::setpgid(0, 0) == 0 && ::dup2(lifeline, STDIN_FILENO) == STDIN_FILENO &&
                        ::close_range(STDIN_FILENO + 1, ~0U, 0) == 0;
  if (!is_alone) ::_exit(1);
  char nothing = 0;
  while (::read(STDIN_FILENO, &nothing, 1) < 0 && errno == EINTR) continue;
  ::kill(0, SIGKILL);
  ::_exit(0);
}

[[noreturn]] void throw_unguarded(int error) {
  throw Error(std::string("a program cannot be guarded: ") + std::strerror(error));
}

}  // namespace

ProcessGroup::ProcessGroup() {
  std::array<int, 2> ends = {-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw_unguarded(errno);
  guard_ = ::fork();
  if (guard_ == 0) stand_guard(ends[0]);
  const int error = errno;
  ::close(ends[0]);
  lifeline_ = ends[1];
  if (guard_ < 0) {
    ::close(lifeline_);
    throw_unguarded(error);
  }
  ::setpgid(guard_, guard_);  // It does so itself, and may not have come to it.
}

ProcessGroup::~ProcessGroup() {
  ::kill(-guard_, SIGKILL);  // Before the guard is reaped: until then the group's number is nobody else's.
  ::close(lifeline_);
  while (::waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) continue;
}

}  // namespace carrack::data
