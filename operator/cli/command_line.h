// What the commands of `carrack` (`carrack run`, `carrack plot`, ...; not `carrack data`) share: each describes its
// options in a CommandLine and parses its arguments by it. All but `carrack completion` run in exit_code_of(). Only
// exit_code_of() prints; the other functions return what the command has to print (Printed, program.h).
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "operator/cli/program.h"
#include "operator/codec/override.h"
#include "operator/error.h"

namespace carrack::control {

// The options that one command has.
struct CommandLine {
  std::string name;                        // such as "run"
  std::string usage;                       // the text of --help
  std::vector<std::string> options;        // such as "--trainer"; each takes a value, and the last one counts
  std::vector<std::string> flags = {};     // options without a value
  std::vector<std::string> repeated = {};  // options with a value that may be given several times
  bool takes_input = false;                // accepts "-" as a path, which means the standard input
};

// The arguments that the user typed.
struct CommandArguments {
  std::vector<std::string> paths;              // the arguments that are neither options nor their values; not empty
  std::map<std::string, std::string> options;  // options and flags that were typed; only flags have an empty value
  std::map<std::string, std::vector<std::string>> repeated;  // those of CommandLine::repeated that were typed

  // Returns the value of an option, or `otherwise` if it is not on the command line.
  std::string value(const std::string& option, const std::string& otherwise) const;
};

// Parses the arguments after the command's name. The value of an option is the next argument (--width 80) or follows a
// '=' (--width=80), and must not be empty. Returns Printed if the command is not to run: the usage with exit code 0 for
// --help and -h; with exit code 2 an error if an argument is wrong, and the usage if no path was typed.
std::variant<CommandArguments, Printed> parse_command_arguments(const CommandLine& command,
                                                                std::span<char* const> arguments);

struct ManifestArguments : CommandArguments {
  std::string manifest;             // its path, or "-"
  std::vector<Override> overrides;  // the values of --set, in the order in which they were typed
};

// Returns the parsed values of --set, empty if none was typed; or the error to print.
std::variant<std::vector<Override>, Printed> parse_overrides(const CommandLine& command, const CommandArguments& typed);

// Like parse_command_arguments(), for a command that takes exactly one path, that of a manifest. Also parses --set if
// it is in `command.repeated`.
std::variant<ManifestArguments, Printed> parse_manifest_arguments(const CommandLine& command,
                                                                  std::span<char* const> arguments);

// Returns the number that was typed for `option`, or `otherwise` if the option was not typed. Returns the error to
// print if that is not a whole number from `min` to `max`. `otherwise` must be in this range, too.
std::variant<int, Printed> number_option(const CommandLine& command, const CommandArguments& typed,
                                         const std::string& option, int otherwise, int max, int min = 1);

// Returns the error "carrack run: TEXT" and exit code 2, to be printed.
Printed usage_error(const CommandLine& command, const std::string& text);

// Returns the Error for the file `to`, which the option --to names: it exists, and must not be overwritten.
Error existing_file_error(const std::string& to);

// Runs the command and returns its exit code. If it throws, prints "carrack NAME: MESSAGE" to standard error, and
// returns 2 for an Error with Blame::user, and 1 for any other std::exception.
int exit_code_of(const std::string& name, const std::function<int()>& command);

// Returns the default of --trainer: the path of carrack-trainer in the folder of this program. The file may not exist.
std::string default_trainer();

}  // namespace carrack::control
