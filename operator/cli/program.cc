#include "operator/cli/program.h"

#include <cstdio>

#include "operator/codec/fields.h"
#include "operator/core/printable.h"

namespace carrack::control {

bool is_common(std::string_view argument) {
  return argument == "--version" || argument == "--help" || argument == "-h" || argument == "help";
}

Printed answer_common(const Program& program, std::span<char* const> arguments) {
  const std::string name(program.name);
  if (arguments.empty()) return {2, "", std::string(program.help)};
  const std::string_view first = arguments[0];
  const std::string lists = "; `" + name + " --help` lists what it does\n";
  if (!is_common(first)) {
    std::vector<std::string> words = program.commands;
    words.insert(words.end(), {"--version", "--help"});
    return {2, "", name + ": does not know '" + printable(first) + "'; " + suggestion(first, words) + lists};
  }
  if (arguments.size() > 1) return {2, "", name + ": does not know '" + printable(arguments[1]) + "'" + lists};
  if (first == "--version") return {0, name + " " CARRACK_VERSION "\n", ""};
  return {0, std::string(program.help), ""};
}

int print(const Printed& printed) {
  std::fputs(printed.out.c_str(), stdout);
  std::fputs(printed.err.c_str(), stderr);
  if (std::fflush(stdout) != 0) {
    std::perror("cannot write to standard output");
    return printed.exit_code != 0 ? printed.exit_code : 1;
  }
  return printed.exit_code;
}

}  // namespace carrack::control
