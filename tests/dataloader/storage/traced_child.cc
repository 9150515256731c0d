#include "tests/dataloader/storage/traced_child.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <stdexcept>

namespace carrack::data {
namespace {

constexpr int thrown = 99;

int run(const std::function<int()>& action) {
  ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  raise(SIGSTOP);
  try {
    return action();
  } catch (const std::exception&) {
    return thrown;
  }
}

}  // namespace

TracedChild::TracedChild(const std::function<int()>& action) : child_(fork()) {
  if (child_ == 0) _exit(run(action));
  if (child_ < 0 || waitpid(child_, &status_, 0) != child_ || !WIFSTOPPED(status_) ||
      ptrace(PTRACE_SETOPTIONS, child_, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) != 0) {
    throw std::runtime_error("cannot trace a child");
  }
}

TracedChild::~TracedChild() {
  if (ended_) return;
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
}

bool TracedChild::step() {
  if (ended_) return false;
  ptrace(PTRACE_SYSCALL, child_, nullptr, nullptr);
  waitpid(child_, &status_, 0);
  ended_ = !WIFSTOPPED(status_);
  return !ended_;
}

bool TracedChild::step(int times) {
  for (int i = 0; i < times; ++i) {
    if (!step()) return false;
  }
  return true;
}

int TracedChild::finish() {
  while (step()) {
  }
  return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
}

}  // namespace carrack::data
