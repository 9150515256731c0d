#include "operator/cli/program.h"

#include <cstdio>

namespace carrack::control {

Printed answer(const Program& program, std::span<char* const> arguments) {
  const std::string name(program.name);
  if (arguments.empty()) return {2, "", std::string(program.help)};
  const std::string_view first = arguments[0];
  const bool known = first == "--version" || first == "--help";
  if (!known || arguments.size() > 1) {
    const std::string unknown = known ? arguments[1] : arguments[0];
    return {2, "", name + ": does not know '" + unknown + "'; `" + name + " --help` lists what it does\n"};
  }
  if (first == "--version") return {0, name + " " CARRACK_VERSION "\n", ""};
  return {0, std::string(program.help), ""};
}

int print(const Printed& printed) {
  std::fputs(printed.out.c_str(), stdout);
  std::fputs(printed.err.c_str(), stderr);
  return printed.exit_code;
}

}  // namespace carrack::control
