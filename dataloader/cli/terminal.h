// Standard output, standard error and interrupts. Everything else of the command's surroundings is an argument.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace carrack::data::cli {

// The reader of standard output has closed it.
struct ClosedPipe : std::exception {};
// The user has interrupted the command, by SIGINT, SIGTERM or SIGHUP.
struct Interrupted : std::exception {};

// To standard output, which is buffered until flush(). Both throw ClosedPipe, or Error if it cannot be written.
void print(std::string_view text);
void flush();
// To standard error; failures are ignored.
void print_error(std::string_view text);
bool errors_are_on_a_terminal();

// From now on SIGINT, SIGTERM or SIGHUP prints a line with this name and ends the process at once: there is nothing to
// clean up. Signals that the process ignores, as under nohup, stay ignored, here and in defer_interrupts().
void exit_on_interrupt(const std::string& name);
// Call it before anything that has to be cleaned up is written. From now on the first SIGINT, the first SIGTERM and the
// first SIGHUP are only recorded, so that the command can clean up; a second signal of the same kind ends the process.
// Further calls do nothing. Safe from any thread.
void defer_interrupts();
// Throws Interrupted if defer_interrupts() has recorded a signal. Safe from any thread.
void check_interrupted();
// What is printed after an interrupt, and the exit code: 128 plus the number of SIGINT.
std::string interrupted_message(const std::string& name);
constexpr int interrupted_exit_code = 130;

}  // namespace carrack::data::cli
