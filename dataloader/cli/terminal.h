// The world outside of files: what is printed, and the wish to stop.
#pragma once

#include <exception>
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

// From now on the first SIGINT, SIGTERM or SIGHUP is noted, and the second ends the process.
void note_interrupts();
// Throws Interrupted if there was one.
void stop_if_interrupted();

}  // namespace carrack::data::cli
