// What the main functions of `carrack` and `carrack-operator` share: the answers to --version and --help, and, for
// `carrack`, the error for an unknown command. Also print(), by which the commands print their results.
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

// The result of a command that has yet to be printed, by print(): text and exit code.
struct Printed {
  int exit_code = 0;
  std::string out;  // for standard output; with all line breaks, also at the end
  std::string err;  // for standard error; with all line breaks
};

// True for the arguments that every program answers: --version, --help, -h and help.
bool is_common(std::string_view argument);

// Call this if the first argument is none of the program's own commands. Returns the version for --version and the help
// for --help, -h and help, with exit code 0. Without arguments returns the help on standard error, and for any other
// argument the error that it is unknown, with exit code 2.
Printed answer_common(const Program& program, std::span<char* const> arguments);

// Writes `out` to standard output and then `err` to standard error. Returns the exit code, but 1 instead of 0 if
// standard output cannot be written.
int print(const Printed& printed);

}  // namespace carrack::control
