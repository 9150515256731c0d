#include "operator/cli/predict.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "operator/cli/command_line.h"
#include "operator/local/trainer_process.h"

namespace carrack::control {
namespace {

constexpr const char* usage = R"(usage: carrack predict CHECKPOINT FILES... [--metrics | --no-loss] [--trainer PROGRAM]

Prints what a trained model computes for each record, as a line of JSON, and at the end how good that is.

  CHECKPOINT  the checkpoint folder of a job, whose last checkpoint is used; FOLDER/BEST, the one with the lowest loss in
              data.eval; or the .manifest file of one checkpoint
  FILES       TFRecord files, as paths, file:// or gs://, with * for any characters within a name
  --metrics   print only how good the model is, without a line for each record
  --no-loss   for records without the feature that the model's loss compares its outputs with
  --trainer   the trainer to run (default: the carrack-trainer next to this program)
  --help      print this
)";

std::variant<CommandArguments, Printed> parse_predict_arguments(std::span<char* const> arguments) {
  const CommandLine command{"predict", usage, {"--trainer"}, {"--metrics", "--no-loss"}};
  auto parsed = parse_command_arguments(command, arguments);
  const auto* typed = std::get_if<CommandArguments>(&parsed);
  if (typed == nullptr) return parsed;
  if (typed->options.contains("--metrics") && typed->options.contains("--no-loss")) {
    return usage_error(command, "--metrics needs the loss, which --no-loss leaves out");
  }
  if (typed->paths.size() > 1) return parsed;
  return usage_error(command, "needs files of records after the checkpoint");
}

}  // namespace

int predict(std::span<char* const> arguments) {
  return exit_code_of("predict", [&]() -> int {
    const auto parsed = parse_predict_arguments(arguments);
    if (const auto* printed = std::get_if<Printed>(&parsed)) return print(*printed);
    const auto& typed = std::get<CommandArguments>(parsed);
    const char* what = typed.options.contains("--no-loss") ? "no-loss" : "loss";
    if (typed.options.contains("--metrics")) what = "metrics";
    std::vector<std::string> command{"predict", what};
    command.insert(command.end(), typed.paths.begin(), typed.paths.end());
    become_trainer(typed.value("--trainer", default_trainer()), std::move(command));
  });
}

}  // namespace carrack::control
