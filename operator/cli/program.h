// What every program of the operator answers alike: its version, its help, and arguments that it does not know.
#pragma once

#include <string>
#include <string_view>

namespace carrack::control {

struct Program {
  std::string_view name;
  std::string_view help;
};

struct Answer {
  int exit_code = 0;
  std::string out;
  std::string err;
};

// `argument` is the first one on the command line, empty if there is none.
Answer answer(const Program& program, std::string_view argument);

// Prints the answer; returns its exit code.
int print(const Answer& answer);

}  // namespace carrack::control
