#include "operator/cli/command_line.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "operator/codec/fields.h"
#include "operator/core/printable.h"
#include "operator/error.h"

namespace carrack::control {
namespace {

Printed unknown_option(const CommandLine& command, const std::string& option) {
  std::vector<std::string> known = command.options;
  known.insert(known.end(), command.repeated.begin(), command.repeated.end());
  known.insert(known.end(), command.flags.begin(), command.flags.end());
  known.emplace_back("--help");
  return usage_error(command, "does not know '" + printable(option) + "'; " + suggestion(option, known) +
                                  "; `carrack " + command.name + " --help` lists what it does");
}

}  // namespace

std::string CommandArguments::value(const std::string& option, const std::string& otherwise) const {
  const auto found = options.find(option);
  return found == options.end() ? otherwise : found->second;
}

std::variant<CommandArguments, Printed> parse_command_arguments(const CommandLine& command,
                                                                std::span<char* const> arguments) {
  CommandArguments parsed;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string argument = arguments[i];
    if (argument == "--help" || argument == "-h") return Printed{0, command.usage, ""};
    if (!argument.starts_with("-") || (command.takes_input && argument == "-")) {
      parsed.paths.push_back(argument);
      continue;
    }
    if (std::ranges::find(command.flags, argument) != command.flags.end()) {
      parsed.options[argument];
      continue;
    }
    const std::size_t equals = argument.find('=');
    const std::string option = argument.substr(0, equals);
    if (std::ranges::find(command.flags, option) != command.flags.end()) {
      return usage_error(command, option + " takes no value");
    }
    const bool is_repeated = std::ranges::find(command.repeated, option) != command.repeated.end();
    if (!is_repeated && std::ranges::find(command.options, option) == command.options.end()) {
      return unknown_option(command, option);
    }
    std::string value = equals != argument.npos ? argument.substr(equals + 1) : "";
    if (equals == argument.npos && i + 1 < arguments.size()) value = arguments[++i];
    if (value.empty()) return usage_error(command, option + " needs a value");
    if (is_repeated) {
      parsed.repeated[option].push_back(value);
    } else {
      parsed.options[option] = value;
    }
  }
  if (parsed.paths.empty()) return Printed{2, "", command.usage};
  return parsed;
}

std::variant<std::vector<Override>, Printed> parse_overrides(const CommandLine& command,
                                                             const CommandArguments& typed) {
  std::vector<Override> overrides;
  const auto found = typed.repeated.find("--set");
  if (found == typed.repeated.end()) return overrides;
  for (const std::string& text : found->second) {
    auto parsed = parse_override(text);
    if (const auto* wrong = std::get_if<std::string>(&parsed))
      return usage_error(command, "--set: " + printable(*wrong));
    overrides.push_back(std::get<Override>(std::move(parsed)));
  }
  return overrides;
}

std::variant<ManifestArguments, Printed> parse_manifest_arguments(const CommandLine& command,
                                                                  std::span<char* const> arguments) {
  auto parsed = parse_command_arguments(command, arguments);
  if (auto* printed = std::get_if<Printed>(&parsed)) return std::move(*printed);
  ManifestArguments typed{std::get<CommandArguments>(std::move(parsed)), "", {}};
  if (typed.paths.size() > 1) {
    return usage_error(command, "takes one manifest; '" + printable(typed.paths[1]) + "' is one too many");
  }
  typed.manifest = typed.paths.front();
  auto overrides = parse_overrides(command, typed);
  if (auto* printed = std::get_if<Printed>(&overrides)) return std::move(*printed);
  typed.overrides = std::get<std::vector<Override>>(std::move(overrides));
  return typed;
}

std::variant<int, Printed> number_option(const CommandLine& command, const CommandArguments& typed,
                                         const std::string& option, int otherwise, int max, int min) {
  const std::string text = typed.value(option, std::to_string(otherwise));
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && number >= min && number <= max) return number;
  return usage_error(command, option + ": is '" + printable(text) + "'; must be a whole number from " +
                                  std::to_string(min) + " to " + std::to_string(max));
}

Printed usage_error(const CommandLine& command, const std::string& text) {
  return {2, "", "carrack " + command.name + ": " + text + "\n"};
}

Error existing_file_error(const std::string& to) {
  return {Blame::user, "--to: " + to + " exists; remove it, or name another file"};
}

int exit_code_of(const std::string& name, const std::function<int()>& command) {
  const auto report = [&](const std::exception& error) {
    std::fprintf(stderr, "carrack %s: %s\n", name.c_str(), printable(error.what()).c_str());
  };
  try {
    return command();
  } catch (const Error& error) {
    report(error);
    return error.blame() == Blame::user ? 2 : 1;
  } catch (const std::exception& error) {
    report(error);
    return 1;
  }
}

std::string default_trainer() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "carrack-trainer";
}

}  // namespace carrack::control
