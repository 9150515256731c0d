// What every program of the operator answers alike: its version, its help, and arguments that it does not know, with
// the nearest that it does.
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

// What a program prints before it ends, and how it ends.
struct Printed {
  int exit_code = 0;
  std::string out;
  std::string err;
};

Printed answer(const Program& program, std::span<char* const> arguments);

// Returns the exit code.
int print(const Printed& printed);

}  // namespace carrack::control
