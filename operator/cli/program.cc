#include "operator/cli/program.h"

#include <cstdio>

namespace carrack::control {

Answer answer(const Program& program, std::string_view argument) {
  const std::string name(program.name);
  if (argument == "--version") return {0, name + " " CARRACK_VERSION "\n", ""};
  if (argument == "--help") return {0, std::string(program.help), ""};
  if (argument.empty()) return {2, "", std::string(program.help)};
  return {2, "", name + ": does not know '" + std::string(argument) + "'; `" + name + " --help` lists what it does\n"};
}

int print(const Answer& answer) {
  std::fputs(answer.out.c_str(), stdout);
  std::fputs(answer.err.c_str(), stderr);
  return answer.exit_code;
}

}  // namespace carrack::control
