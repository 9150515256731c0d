// The world outside of files: what is printed, and the wish to stop.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace carrack::data::cli {

// Whoever read what is printed has stopped to.
struct ClosedPipe : std::exception {};
// The user has, by SIGINT or SIGTERM.
struct Interrupted : std::exception {};

// Throws ClosedPipe, or Error where standard output takes nothing.
void print(std::string_view text);
void flush();
void print_error(std::string_view text);
bool errors_are_on_a_terminal();

// From now on SIGINT, SIGTERM and SIGHUP end the process at once, and say so in this name, as there is nothing
// to be put in order.
void end_at_interrupts(const std::string& name);
// Before anything is written: from now on the first of them is noted, and the second ends the process.
void note_interrupts();
// Throws Interrupted if there was one.
void stop_if_interrupted();
// What is said then, and the exit code: 128 and the number of SIGINT.
std::string interrupted_text(const std::string& name);
constexpr int interrupted_exit_code = 130;

}  // namespace carrack::data::cli
