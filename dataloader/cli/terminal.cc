#include "dataloader/cli/terminal.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <mutex>
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

// The text that the signal handler writes. It is prepared before the signal, because the handler may only make system
// calls, and may run while the process exits and destroys its objects.
std::array<char, 80> exit_message;
std::size_t exit_message_size = 0;

// Makes the first signal of each kind call `handler`, and the second one end the process. Signals that are ignored, for
// example under nohup, stay ignored.
void handle_interrupts(void (*handler)(int)) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = handler;
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
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

void exit_on_interrupt(const std::string& name) {
  const std::string message = (errors_are_on_a_terminal() ? "\r\033[K" : "") + interrupted_message(name);
  exit_message_size = message.copy(exit_message.data(), exit_message.size());
  handle_interrupts([](int) {
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, exit_message.data(), exit_message_size);
    ::_exit(interrupted_exit_code);
  });
}

void defer_interrupts() {
  static std::once_flag once;  // Installing the handler again would make the process survive the second signal.
  std::call_once(once, [] { handle_interrupts([](int) { interrupted = true; }); });
}

std::string interrupted_message(const std::string& name) {
  return name + ": interrupted\n";
}

void check_interrupted() {
  if (interrupted) throw Interrupted();
}

}  // namespace carrack::data::cli
