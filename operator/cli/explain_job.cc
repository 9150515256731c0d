#include "operator/cli/explain_job.h"

#include <string>
#include <utility>
#include <variant>

#include "operator/cli/command_line.h"
#include "operator/cli/job_source.h"
#include "operator/cli/job_target.h"
#include "operator/cli/terminal.h"
#include "operator/explain/explain.h"

namespace carrack::control {
namespace {

constexpr const char* usage = R"(usage: carrack explain JOB|FOLDER [options]

Says why a job waits or has failed and what to do about it, or how far it is.
)";

}  // namespace

int explain_job(std::span<char* const> arguments, const EnvironmentMap& environment) {
  return exit_code_of("explain", [&]() -> int {
    const CommandLine command{"explain", std::string(usage) + target_usage, {}};
    auto parsed = parse_target_arguments(command, arguments);
    if (const auto* printed = std::get_if<Printed>(&parsed)) return print(*printed);
    const auto source = open_job(std::get<TargetArguments>(parsed).target, environment);
    const auto width = static_cast<std::size_t>(output_is_terminal() ? columns_of_terminal() : 0);
    return print({0, explain(source->view_with_events(), width), ""});
  });
}

}  // namespace carrack::control
