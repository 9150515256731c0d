// What `carrack` and `carrack-operator` share: --version, --help, and the error for an unknown argument, with the
// nearest known one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carrack::control {

struct Program {
  std::string_view name;
  std::string_view help;                   // the text of --help
  std::vector<std::string> commands = {};  // an error message may suggest one of them
};

// What a program prints before it exits, and its exit code.
struct Printed {
  int exit_code = 0;
  std::string out;
  std::string err;
};

// True for the arguments that every program answers: --version, --help, -h and help.
bool is_common(std::string_view argument);

// Returns the version or the help (exit code 0); for no argument or an unknown one, the help or an error on standard
// error (exit code 2). Handle the program's commands before you call it: it reports them as unknown.
Printed answer_common(const Program& program, std::span<char* const> arguments);

// Writes `out` to standard output and `err` to standard error. Returns the exit code: 1 instead of 0 if the write
// fails.
int print(const Printed& printed);

}  // namespace carrack::control
