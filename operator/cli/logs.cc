#include "operator/cli/logs.h"

#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "operator/cli/cluster_logs.h"
#include "operator/cli/command_line.h"
#include "operator/cli/job_source.h"
#include "operator/cli/log_choice.h"
#include "operator/cli/run_logs.h"
#include "operator/core/plan.h"

namespace carrack::control {
namespace {

constexpr const char* usage = R"(usage: carrack logs JOB|FOLDER [options]

Prints the logs of all members of a job, each line after the name of its member, and how earlier starts of them ended.

  -f, --follow    go on with what is printed from now on, also by replacements, until the job is over
  --member NAMES  of these members alone, such as worker-1 or worker-0,ps-0
  --tail N        of each member only the last N lines
)";

// Returns which logs of the job with this spec to print, or the error.
std::variant<LogChoice, Printed> choice_of(const CommandLine& command, const TargetArguments& typed,
                                           const JobSpec& spec) {
  LogChoice choice{.follow = typed.options.contains("-f") || typed.options.contains("--follow")};
  if (typed.options.contains("--tail")) {
    const auto tail = number_option(command, typed, "--tail", 0, std::numeric_limits<int>::max());
    if (const auto* printed = std::get_if<Printed>(&tail)) return *printed;
    choice.tail = std::get<int>(tail);
  }
  if (!typed.options.contains("--member")) return choice;
  auto members = members_in(typed.value("--member", ""), members_of(spec));
  if (const auto* error = std::get_if<std::string>(&members)) return usage_error(command, *error);
  choice.members = std::get<std::set<train::Member>>(std::move(members));
  return choice;
}

}  // namespace

int logs(std::span<char* const> arguments, const EnvironmentMap& environment) {
  return exit_code_of("logs", [&]() -> int {
    const CommandLine command{"logs", std::string(usage) + target_usage, {"--member", "--tail"}, {"-f", "--follow"}};
    auto parsed = parse_target_arguments(command, arguments);
    if (const auto* printed = std::get_if<Printed>(&parsed)) return print(*printed);
    const auto& typed = std::get<TargetArguments>(parsed);
    const auto print_chosen = [&](const JobSpec& spec, const auto& print_logs) {
      const auto choice = choice_of(command, typed, spec);
      if (const auto* printed = std::get_if<Printed>(&choice)) return print(*printed);
      LogPrinter printer(name_width(members_of(spec)));
      return print_logs(std::get<LogChoice>(choice), printer);
    };
    if (!typed.target.folder.empty()) {
      const std::string& folder = typed.target.folder;
      return print_chosen(RunOnThisMachine(folder).view().spec, [&](const LogChoice& choice, LogPrinter& printer) {
        return print_logs_of_run(folder, choice, printer);
      });
    }
    ClusterJob job(typed.target, environment);
    return print_chosen(job.view().spec, [&](const LogChoice& choice, LogPrinter& printer) {
      return print_logs_in_cluster(job, choice, printer);
    });
  });
}

}  // namespace carrack::control
