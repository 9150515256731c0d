#include "operator/cli/export.h"

#include <string>
#include <variant>

#include "operator/cli/command_line.h"
#include "operator/local/trainer_process.h"

namespace carrack::control {
namespace {

constexpr const char* usage = R"(usage: carrack export CHECKPOINT --to FOLDER [--trainer PROGRAM]

Writes a trained model as a SavedModel, which TensorFlow and TensorFlow Serving load.

  CHECKPOINT  the checkpoint folder of a job, whose last checkpoint is used; FOLDER/BEST, the one with the lowest loss in
              data.eval; or the .manifest file of one checkpoint
  --to        a folder, as path, file:// or gs://; the model is its one file, saved_model.pb
  --trainer   the trainer to run (default: the carrack-trainer next to this program)
  --help      print this
)";

std::variant<CommandArguments, Printed> parse_export_arguments(std::span<char* const> arguments) {
  const CommandLine command{"export", usage, {"--to", "--trainer"}};
  auto parsed = parse_command_arguments(command, arguments);
  const auto* typed = std::get_if<CommandArguments>(&parsed);
  if (typed == nullptr) return parsed;
  if (typed->paths.size() > 1) return usage_error(command, "takes one checkpoint; --to names the folder to write to");
  if (!typed->options.contains("--to")) return usage_error(command, "needs --to, the folder to write to");
  return parsed;
}

}  // namespace

int export_model(std::span<char* const> arguments) {
  return exit_code_of("export", [&]() -> int {
    const auto parsed = parse_export_arguments(arguments);
    if (const auto* printed = std::get_if<Printed>(&parsed)) return print(*printed);
    const auto& typed = std::get<CommandArguments>(parsed);
    become_trainer(typed.value("--trainer", default_trainer()),
                   {"export", typed.paths.front(), typed.value("--to", "")});
  });
}

}  // namespace carrack::control
