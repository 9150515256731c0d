#include "operator/cli/validate.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "operator/cli/command_line.h"
#include "operator/cli/run_request.h"
#include "operator/codec/job.h"
#include "operator/core/printable.h"

namespace carrack::control {
namespace {

constexpr const char* usage = R"(usage: carrack validate MANIFEST... [--set PATH=VALUE]... [--no-data]

Says whether TrainingJobs can be run: whether their manifests are valid, and whether the data is what they say. It looks
at a few records, checks that checkpoints and weights are there, starts nothing and writes nothing.

  MANIFEST   YAML or JSON, as for kubectl apply; - is the standard input
  --set      PATH=VALUE, a value in place of one in the manifests, as in spec.training.epochs=3; may be repeated
  --no-data  look at the manifests alone
  --help     print this
)";

Printed validate_one(const std::string& manifest, const std::vector<Override>& overrides, const ModelCheck& check_model,
                     const CheckFiles* look) {
  std::string folder;
  const auto loaded = load_job(manifest, overrides, folder, check_model);
  if (const auto* printed = std::get_if<Printed>(&loaded)) return *printed;
  const auto& [spec, document] = std::get<LoadedJob>(loaded);
  FilesReport found{{}, spec.own ? "its program was not looked at" : "its files were not looked at"};
  if (look != nullptr && !spec.own) {
    found = check_files_with_places(*look, WhichFiles::everything, spec, document);
  }
  if (!found.problems.empty()) return problems_of(manifest, found.problems);
  return {0, printable(manifest) + ": is valid; " + printable(found.text) + "\n", ""};
}

bool names_checkpoint_folder(const Node& document) {
  const Node* spec = child(document, "spec");
  const Node* checkpoint = spec != nullptr ? child(*spec, "checkpoint") : nullptr;
  return checkpoint != nullptr && child(*checkpoint, "folder") != nullptr;
}

bool is_of_checkpoint_folder(const Problem& problem) {
  return problem.field == "spec.checkpoint.folder";
}

}  // namespace

FilesReport check_files_with_places(const CheckFiles& look, WhichFiles which, const JobSpec& job,
                                    const Node& document) {
  FilesReport found = look(job, which);
  // If the manifest names no checkpoint folder, the checkpoints go into the folder of the run. `carrack run` creates
  // that folder or says why it cannot, so this removes problems with it.
  if (!names_checkpoint_folder(document)) std::erase_if(found.problems, is_of_checkpoint_folder);
  found.problems = with_places(std::move(found.problems), document);
  return found;
}

int validate(std::span<char* const> arguments, const ModelCheck& check_model, const CheckFiles& look) {
  return exit_code_of("validate", [&]() -> int {
    const CommandLine command{"validate", usage, {}, {"--no-data"}, {"--set"}, true};
    const auto parsed = parse_command_arguments(command, arguments);
    if (const auto* printed = std::get_if<Printed>(&parsed)) return print(*printed);
    const auto& typed = std::get<CommandArguments>(parsed);
    const auto overrides = parse_overrides(command, typed);
    if (const auto* printed = std::get_if<Printed>(&overrides)) return print(*printed);
    const CheckFiles* const looks = typed.options.contains("--no-data") ? nullptr : &look;
    int exit_code = 0;
    for (const std::string& manifest : typed.paths) {
      const int code = exit_code_of("validate", [&] {
        return print(validate_one(manifest, std::get<std::vector<Override>>(overrides), check_model, looks));
      });
      exit_code = std::max(exit_code, code);
    }
    return exit_code;
  });
}

}  // namespace carrack::control
