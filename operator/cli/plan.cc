#include "operator/cli/plan.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <variant>

#include "operator/cli/command_line.h"
#include "operator/cli/run_request.h"
#include "operator/core/plan.h"
#include "operator/core/resources.h"
#include "operator/core/restart.h"
#include "trainer/launch/quantity.h"

namespace carrack::control {
namespace {

constexpr const char* usage = R"(usage: carrack plan MANIFEST [--set PATH=VALUE]... [--cpus N]

Says what a TrainingJob will take, by its manifest alone: the parameters of each layer, the memory of each process, how
long workers wait for each other, the size of a checkpoint, and requests to storage. No file is read but the manifest.

  MANIFEST  YAML or JSON, as for kubectl apply; - is the standard input
  --set     PATH=VALUE, a value in place of one in the manifest, as in spec.training.epochs=3; may be repeated
  --cpus    the CPUs of each process, from 1 to 1024 (default: those of this machine)
  --help    print this
)";

constexpr unsigned cpus_max = 1024;
// The memory that a process takes before it trains: its code, threads and buffers.
constexpr double bytes_of_process = 30e6;

struct PlanRequest {
  std::string manifest;
  std::vector<Override> overrides;
  unsigned cpus;
};

std::variant<PlanRequest, Printed> parse_plan_request(std::span<char* const> arguments, unsigned cpus) {
  const CommandLine command{"plan", usage, {"--cpus"}, {}, {"--set"}, true};
  auto parsed = parse_manifest_arguments(command, arguments);
  if (auto* printed = std::get_if<Printed>(&parsed)) return std::move(*printed);
  const auto& typed = std::get<ManifestArguments>(parsed);
  auto number = number_option(command, typed, "--cpus", static_cast<int>(std::min(cpus, cpus_max)), cpus_max);
  if (auto* printed = std::get_if<Printed>(&number)) return std::move(*printed);
  return PlanRequest{typed.manifest, typed.overrides, static_cast<unsigned>(std::get<int>(number))};
}

// Returns the field that says how much memory a process of the role may use: the limit if the manifest sets it,
// otherwise the request, because a node may have no more than the request.
std::string memory_field(const JobSpec& job, train::Role role) {
  const bool has_limit = pod_options(job, role).resources.limits.contains("memory");
  return "spec.replicas." + std::string(train::spelled(role)) + ".resources." + (has_limit ? "limits" : "requests") +
         ".memory";
}

// Returns advice if the memory limit of the role is less than what its process needs; otherwise "".
std::string memory_advice(const JobSpec& job, train::Role role, double planned) {
  const std::string limit = resources_of(job, role).limits.at("memory");
  const double needed = planned + bytes_of_process;
  if (needed <= static_cast<double>(train::parse_quantity(limit).value())) return "";
  char quantity[32];
  std::snprintf(quantity, sizeof quantity, "%.0fMi", std::ceil(needed / (1 << 20)));
  return memory_field(job, role) + ": is " + limit +
         ", less than the process takes, with 30 MB before it trains; give at least " + quantity + "\n";
}

// Returns the plan of a job with strategy Own. It lists only processes, because Carrack does not know what the user's
// own program does.
std::string plan_of_own(const JobSpec& job) {
  std::string text = "runs the user's own program, of which nothing is known but its processes:\n";
  for (const RolePlan& role : roles_of(job)) {
    text += "  " + std::string(train::spelled(role.role)) + ": " + std::to_string(role.count);
    for (const auto& [resource, quantity] : resources_of(job, role.role).requests) {
      text += ", " + quantity + " of " + resource;
    }
    text += "\n";
  }
  return text + "the job succeeds with " +
         (job.own->success == SuccessPolicy::leader ? describe(leader_of(job))
                                                    : "all of its processes but parameter servers") +
         "\n";
}

}  // namespace

int plan(std::span<char* const> arguments, const ModelCheck& check_model, const JobPlanner& plan_job, unsigned cpus) {
  return exit_code_of("plan", [&]() -> int {
    const auto request = parse_plan_request(arguments, cpus);
    if (const auto* printed = std::get_if<Printed>(&request)) return print(*printed);
    const auto& [manifest, overrides, cpus_of_process] = std::get<PlanRequest>(request);
    std::string folder;  // load_job() sets it to the folder of a run, which a plan does not use.
    const auto loaded = load_job(manifest, overrides, folder, check_model);
    if (const auto* printed = std::get_if<Printed>(&loaded)) return print(*printed);
    const auto& job = std::get<LoadedJob>(loaded).spec;
    if (job.own) return print({0, plan_of_own(job), ""});
    const PlannedJob planned = plan_job(job.config, cpus_of_process);
    const std::string advice =
        (planned.server_bytes ? memory_advice(job, train::Role::ps, *planned.server_bytes) : "") +
        (planned.worker_bytes ? memory_advice(job, train::Role::worker, *planned.worker_bytes) : "");
    return print({0, planned.text + (advice.empty() ? "" : "\n" + advice), ""});
  });
}

}  // namespace carrack::control
