// What `carrack` and `carrack-operator` have in common: --version, --help, and the error for an unknown argument, with
// the nearest known one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carrack::control {

struct Program {
  std::string_view name;
  std::string_view help;
  std::vector<std::string> commands = {};  // known words, one of which an error message may suggest
};

// What a program prints before it exits, and its exit code.
struct Printed {
  int exit_code = 0;
  std::string out;
  std::string err;
};

// The reply to --version or --help (exit code 0), and to no argument or an unknown one (2, on standard error). The
// caller must have handled the program's commands before: this function reports them as unknown.
Printed answer_common(const Program& program, std::span<char* const> arguments);

// Writes `out` to standard output and `err` to standard error. Returns the exit code.
int print(const Printed& printed);

}  // namespace carrack::control
