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
  std::vector<std::string> commands = {};
};

// What a program prints before it exits, and its exit code.
struct Printed {
  int exit_code = 0;
  std::string out;
  std::string err;
};

// The reply to --version, --help, no argument or an unknown one.
Printed answer_common(const Program& program, std::span<char* const> arguments);

// Returns the exit code.
int print(const Printed& printed);

}  // namespace carrack::control
