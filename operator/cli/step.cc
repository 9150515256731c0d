#include "operator/cli/step.h"

#include <string>
#include <utility>
#include <variant>

#include "operator/cli/command_line.h"
#include "operator/cli/run_request.h"
#include "operator/local/trainer_process.h"

namespace carrack::control {
namespace {

constexpr const char* usage = R"(usage: carrack step MANIFEST [--set PATH=VALUE]... [--records N] [--trainer PROGRAM]

Computes one step of a TrainingJob on this machine, from its initial values and over its first records, and prints the
range of every layer's output, the norms of gradients and updates, where NaN or infinity appears first, and how far each
value is from an evaluation in double precision.

  MANIFEST   YAML or JSON, as for kubectl apply
  --set      PATH=VALUE, a value in place of one in the manifest, as in spec.training.epochs=3; may be repeated
  --records  how many records, from 1 to 1000 (default: 4)
  --trainer  the trainer to run (default: the carrack-trainer next to this program)
  --help     print this
)";

constexpr int records_max = 1000;

struct StepRequest {
  std::string manifest, trainer, records;
  std::vector<Override> overrides;
};

std::variant<StepRequest, Printed> parse_step_request(std::span<char* const> arguments) {
  const CommandLine command{"step", usage, {"--records", "--trainer"}, {}, {"--set"}};
  auto parsed = parse_manifest_arguments(command, arguments);
  if (auto* printed = std::get_if<Printed>(&parsed)) return std::move(*printed);
  const auto& typed = std::get<ManifestArguments>(parsed);
  auto records = number_option(command, typed, "--records", 4, records_max);
  if (auto* printed = std::get_if<Printed>(&records)) return std::move(*printed);
  return StepRequest{.manifest = typed.manifest,
                     .trainer = typed.value("--trainer", default_trainer()),
                     .records = std::to_string(std::get<int>(records)),
                     .overrides = typed.overrides};
}

}  // namespace

int step(std::span<char* const> arguments, const ModelCheck& check_model) {
  return exit_code_of("step", [&]() -> int {
    const auto request = parse_step_request(arguments);
    if (const auto* printed = std::get_if<Printed>(&request)) return print(*printed);
    const auto& [manifest, trainer, records, overrides] = std::get<StepRequest>(request);
    std::string folder;  // load_job() sets it to the folder of a run, which a single step does not use.
    const auto job = load_job(manifest, overrides, folder, check_model);
    if (const auto* printed = std::get_if<Printed>(&job)) return print(*printed);
    const JobSpec& spec = std::get<LoadedJob>(job).spec;
    if (spec.own) return print({2, "", "carrack step: the job runs its own program; there is no model to compute\n"});
    if (train::is_own(spec.config.model)) {
      return print({2, "", "carrack step: spec.model.kind is Own; only the job's program can compute the model\n"});
    }
    become_trainer(trainer, {"step", records}, spec);
  });
}

}  // namespace carrack::control
