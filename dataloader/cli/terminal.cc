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

// Said where a signal is handled, so with nothing but a call of the kernel, and perhaps while the process ends.
std::array<char, 80> last_words;
std::size_t last_words_size = 0;

void handle(void (*handler)(int)) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN) continue;  // As nohup has it.
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

void end_at_interrupts(const std::string& name) {
  const std::string words = (errors_are_on_a_terminal() ? "\r\033[K" : "") + interrupted_text(name);
  last_words_size = words.copy(last_words.data(), last_words.size());
  handle([](int) {
    [[maybe_unused]] const ssize_t said = ::write(STDERR_FILENO, last_words.data(), last_words_size);
    ::_exit(interrupted_exit_code);
  });
}

void note_interrupts() {
  static std::once_flag once;  // Threads write side by side, and a second interrupt is to end them.
  std::call_once(once, [] { handle([](int) { interrupted = true; }); });
}

std::string interrupted_text(const std::string& name) {
  return name + ": interrupted\n";
}

void stop_if_interrupted() {
  if (interrupted) throw Interrupted();
}

}  // namespace carrack::data::cli
