// Standard output, standard error and interrupts (Ctrl-C) of the commands of `carrack data`.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace carrack::data::cli {

// Thrown if the reader of standard output has closed it, as in `carrack data head x | head -1`.
struct ClosedPipe : std::exception {};
// Thrown by check_interrupted() if defer_interrupts() has recorded a SIGINT, SIGTERM or SIGHUP.
struct Interrupted : std::exception {};

// print() writes to standard output, which is buffered, so call flush() at the end. Both functions throw ClosedPipe if
// the reader has closed it, and Error if it cannot be written for another reason.
void print(std::string_view text);
void flush();
// Writes to standard error; failures are ignored. Adds nothing to the text.
void print_error(std::string_view text);
// True if standard error is a terminal.
bool errors_are_on_a_terminal();

// After this call SIGINT, SIGTERM or SIGHUP prints interrupted_message(name) and ends the process immediately, with
// interrupted_exit_code and without destructors. Use it while nothing has to be cleaned up. Signals that the process
// ignores, for example under nohup, stay ignored, here and in defer_interrupts().
void exit_on_interrupt(const std::string& name);
// Call it before writing anything that has to be cleaned up. After it the first SIGINT, the first SIGTERM and the first
// SIGHUP are only recorded, for check_interrupted(), so that the command can clean up. A second signal of the same kind
// ends the process immediately. Further calls have no effect. Safe from any thread.
void defer_interrupts();
// Throws Interrupted if defer_interrupts() has recorded a signal. Safe from any thread.
void check_interrupted();
// Returns the line that is printed after an interrupt: "NAME: interrupted\n".
std::string interrupted_message(const std::string& name);
constexpr int interrupted_exit_code = 130;  // 128 plus the number of SIGINT, as in a shell

}  // namespace carrack::data::cli
