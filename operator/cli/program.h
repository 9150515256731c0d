// What `carrack` and `carrack-operator` share: --version, --help, and the error for an unknown argument, which suggests
// the most similar known one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carrack::control {

struct Program {
  std::string_view name;
  std::string_view help;                   // the text of --help
  std::vector<std::string> commands = {};  // the words that an error message may suggest
};

// What a program prints before it exits, and its exit code.
struct Printed {
  int exit_code = 0;
  std::string out;  // for standard output; with line breaks
  std::string err;  // for standard error; with line breaks
};

// True for the arguments that every program answers: --version, --help, -h and help.
bool is_common(std::string_view argument);

// Returns the version for --version and the help for --help, -h and help, with exit code 0. Without arguments returns
// the help on standard error, and for unknown arguments an error, with exit code 2. It does not know the program's
// commands, so handle them before.
Printed answer_common(const Program& program, std::span<char* const> arguments);

// Writes `out` to standard output and then `err` to standard error. Returns the exit code, but 1 instead of 0 if
// standard output cannot be written.
int print(const Printed& printed);

}  // namespace carrack::control
