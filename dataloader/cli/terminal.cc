#include "dataloader/cli/terminal.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include "dataloader/error.h"

namespace carrack::data::cli {
namespace {

std::atomic<bool> interrupted = false;

[[noreturn]] void cannot_print() {
  const int error = errno;
  if (error == EPIPE) throw ClosedPipe();
  throw Error("standard output: cannot write it: " + std::generic_category().message(error));
}

void note(int signal) {
  struct sigaction action {};
  sigaction(signal, nullptr, &action);
  if (action.sa_handler == SIG_IGN) return;  // As nohup has it.
  action = {};
  action.sa_handler = [](int) { interrupted = true; };
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigaction(signal, &action, nullptr);
}

}  // namespace

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) cannot_print();
}

void flush() {
  if (std::fflush(stdout) != 0) cannot_print();
}

void print_error(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

bool errors_are_on_a_terminal() {
  return ::isatty(STDERR_FILENO) != 0;
}

void note_interrupts() {
  note(SIGINT);
  note(SIGTERM);
  note(SIGHUP);
  ::signal(SIGPIPE, SIG_IGN);  // What cannot be printed is told by the call.
}

void stop_if_interrupted() {
  if (interrupted) throw Interrupted();
}

}  // namespace carrack::data::cli
