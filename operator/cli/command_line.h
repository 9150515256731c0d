// Parses the command lines of the commands of `carrack`.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "operator/cli/program.h"
#include "operator/codec/override.h"

namespace carrack::control {

struct CommandLine {
  std::string name;                        // "run"
  std::string usage;                       // the text of --help
  std::vector<std::string> options;        // such as "--trainer"; each takes a value
  std::vector<std::string> flags = {};     // options without a value
  std::vector<std::string> repeated = {};  // options with a value that may be given several times
  bool takes_input = false;                // accepts "-" as a path, which means the standard input
};

struct CommandArguments {
  std::vector<std::string> paths;              // the arguments that are neither options nor their values; not empty
  std::map<std::string, std::string> options;  // options and flags that were typed; the value of a flag is empty
  std::map<std::string, std::vector<std::string>> repeated;  // the values of each of CommandLine::repeated

  // The value of an option, or `otherwise` if it is not on the command line.
  std::string value(const std::string& option, const std::string& otherwise) const;
};

// Parses the arguments after the command's name. Returns what to print instead for --help (exit code 0), and if they
// are wrong or have no path (exit code 2).
std::variant<CommandArguments, Printed> parse_command_arguments(const CommandLine& command,
                                                                std::span<char* const> arguments);

struct ManifestArguments : CommandArguments {
  std::string manifest;
  std::vector<Override> overrides;  // of --set, in the order in which they were typed
};

// Returns the values of --set, or the error to print.
std::variant<std::vector<Override>, Printed> parse_overrides(const CommandLine& command, const CommandArguments& typed);

// Does parse_command_arguments() for a command that takes one manifest and --set.
std::variant<ManifestArguments, Printed> parse_manifest_arguments(const CommandLine& command,
                                                                  std::span<char* const> arguments);

// Returns the value of an option, or `otherwise` if it is not typed; or the error to print if that is not a whole
// number from `min` to `max`.
std::variant<int, Printed> number_option(const CommandLine& command, const CommandArguments& typed,
                                         const std::string& option, int otherwise, int max, int min = 1);

// "carrack run: TEXT", with exit code 2.
Printed usage_error(const CommandLine& command, const std::string& text);

// Runs the command and returns its exit code. If it throws, prints the message and returns 2 for an Error with
// Blame::user, and 1 for any other exception.
int exit_code_of(const std::string& name, const std::function<int()>& command);

// The path of the carrack-trainer in the folder of this program.
std::string default_trainer();

}  // namespace carrack::control
