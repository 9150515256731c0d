#include "operator/cli/job_target.h"

#include <array>
#include <filesystem>
#include <utility>

#include "operator/core/printable.h"

namespace carrack::control {
namespace {

constexpr std::array cluster_options = {"--namespace", "-n", "--context", "--kubeconfig"};

// Returns the first cluster option, such as --namespace, that the user typed; empty if the user typed none.
std::string cluster_option(const CommandArguments& typed) {
  for (const char* option : cluster_options) {
    if (typed.options.contains(option)) return option;
  }
  return "";
}

// Returns true if `carrack run` has used the folder. It saves its job in job.json.
bool holds_run(const std::string& folder) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(folder + "/job.json", ignored);
}

}  // namespace

std::variant<TargetArguments, Printed> parse_target_arguments(CommandLine command, std::span<char* const> arguments) {
  command.options.insert(command.options.end(), cluster_options.begin(), cluster_options.end());
  auto parsed = parse_command_arguments(command, arguments);
  if (auto* printed = std::get_if<Printed>(&parsed)) return std::move(*printed);
  TargetArguments typed{std::get<CommandArguments>(std::move(parsed)), {}};
  if (typed.paths.size() > 1) {
    return usage_error(command, "takes one job; '" + printable(typed.paths[1]) + "' is one too many");
  }
  const std::string& named = typed.paths.front();
  const std::string option = cluster_option(typed);
  const bool is_path = named.find('/') != named.npos;
  if (is_path && !option.empty()) {
    return usage_error(command, option + ": is for a job of a cluster, and '" + printable(named) + "' is a folder");
  }
  if (is_path || (option.empty() && holds_run(named))) {
    typed.target.folder = named;
    while (typed.target.folder.size() > 1 && typed.target.folder.ends_with('/')) typed.target.folder.pop_back();
    return typed;
  }
  typed.target.name = named;
  typed.target.name_space = typed.value("--namespace", typed.value("-n", ""));
  typed.target.choice = {typed.value("--kubeconfig", ""), typed.value("--context", "")};
  return typed;
}

}  // namespace carrack::control
