#include "operator/cli/run_request.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <utility>

#include "dataloader/text.h"
#include "operator/cli/command_line.h"
#include "operator/codec/job.h"
#include "operator/core/printable.h"
#include "operator/local/text_file.h"

namespace carrack::control {
namespace {

constexpr const char* usage = R"(usage: carrack run MANIFEST [--set PATH=VALUE]... [--no-data] [--folder FOLDER]
                           [--trainer PROGRAM]

Runs a TrainingJob on this machine until it finishes. An interrupt (Ctrl-C) commits what is done and stops; a second one
ends it at once. The same command goes on with a run that was stopped or has failed, in whatever way.

  MANIFEST   YAML or JSON, as for kubectl apply
  --set      PATH=VALUE, a value in place of one in the manifest, as in spec.training.epochs=3; may be repeated
  --no-data  do not look at the data before anything is started
  --folder   where logs go, and checkpoints unless the manifest names a folder (default: ./carrack-runs/NAME)
  --trainer  the trainer to run (default: the carrack-trainer next to this program)
  --help     print this
)";

// Returns a path in absolute form, without a trailing slash and with symbolic links resolved if possible. Returns a URL
// or "" unchanged.
std::string absolute_or_url(const std::string& path_or_url) {
  if (path_or_url.empty() || path_or_url.find("://") != path_or_url.npos) return path_or_url;
  std::error_code failed;
  const std::filesystem::path path = std::filesystem::absolute(path_or_url);
  const std::filesystem::path canonical = std::filesystem::weakly_canonical(path, failed);
  const std::filesystem::path normal = (failed ? path : canonical).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

// Like absolute_or_url(), but does not resolve a symbolic link at the end, because the name of a file of weights says
// what format it has.
std::string absolute_name_or_url(const std::string& path_or_url) {
  if (path_or_url.empty() || path_or_url.find("://") != path_or_url.npos) return path_or_url;
  const std::filesystem::path path(path_or_url);
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  return std::filesystem::path(absolute_or_url(folder)) / path.filename();
}

// Also sets the default of `folder` (the folder of the run) and, in it, that of the checkpoint folder.
void make_paths_absolute(JobSpec& spec, std::string& folder) {
  if (folder.empty()) folder = "carrack-runs/" + spec.name;
  folder = absolute_or_url(folder);
  if (spec.own) return;  // Only the user's own program knows which of its arguments are paths.
  train::Config& config = spec.config;
  std::string& checkpoints = config.checkpoint.folder;
  checkpoints = checkpoints.empty() ? folder + "/checkpoints" : absolute_or_url(checkpoints);
  config.checkpoint.resume = absolute_or_url(config.checkpoint.resume);
  if (auto& weights = config.training.initial_weights) weights->from = absolute_name_or_url(weights->from);
  for (std::string& file : config.data.files) file = absolute_or_url(file);
  if (config.data.evaluation) {
    for (std::string& file : config.data.evaluation->files) file = absolute_or_url(file);
  }
  for (train::MixedSet& set : config.data.mix) {
    for (std::string& file : set.files) file = absolute_or_url(file);
  }
  for (train::Stage& stage : config.data.stages)
    if (auto* snapshot = std::get_if<train::Snapshot>(&stage)) snapshot->folder = absolute_or_url(snapshot->folder);
}

// Returns the arguments, quoted for a shell, without the options that set spec.run.suspend.
std::string without_suspend(std::span<char* const> arguments) {
  constexpr std::string_view suspend = "spec.run.suspend=";
  std::string typed;
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    const std::string argument = arguments[at];
    const bool is_pair = argument == "--set" && at + 1 < arguments.size();
    if (argument.starts_with("--set=" + std::string(suspend))) continue;
    if (is_pair && std::string_view(arguments[at + 1]).starts_with(suspend)) {
      ++at;
      continue;
    }
    typed += " " + data::shell_word(argument);
  }
  return typed;
}

}  // namespace

std::variant<RunRequest, Printed> parse_run_request(std::span<char* const> arguments) {
  const CommandLine command{"run", usage, {"--folder", "--trainer"}, {"--no-data"}, {"--set"}};
  auto parsed = parse_manifest_arguments(command, arguments);
  if (auto* printed = std::get_if<Printed>(&parsed)) return std::move(*printed);
  const auto& typed = std::get<ManifestArguments>(parsed);
  RunRequest request{.manifest = typed.manifest,
                     .folder = typed.value("--folder", ""),
                     .trainer = typed.value("--trainer", default_trainer()),
                     .typed = "",
                     .overrides = typed.overrides,
                     .looks_at_files = !typed.options.contains("--no-data")};
  for (const char* argument : arguments) request.typed += " " + data::shell_word(argument);
  request.typed_to_go_on = without_suspend(arguments);
  request.sets_suspend = request.typed_to_go_on != request.typed;
  return request;
}

std::variant<LoadedJob, Printed> load_job(const std::string& manifest, const std::vector<Override>& overrides,
                                          std::string& folder, const ModelCheck& check_model) {
  Parsed parsed = parse_manifest(read_text_file_or_input(manifest));
  if (const auto* problem = std::get_if<Problem>(&parsed)) return problems_of(manifest, {*problem});
  Node document = std::get<Node>(std::move(parsed));
  std::vector<Problem> problems;
  for (const Override& given : overrides) {
    if (std::optional<Problem> problem = apply(given, document)) problems.push_back(*std::move(problem));
  }
  if (!problems.empty()) return problems_of(manifest, problems);
  DecodedJob decoded = decode_job(document);
  problems = std::move(decoded.problems);
  if (problems.empty()) {
    make_paths_absolute(decoded.spec, folder);
    problems = with_places(problems_in(decoded.spec, check_model), decoded.document);
  }
  if (!problems.empty()) return problems_of(manifest, problems);
  return LoadedJob{std::move(decoded.spec), std::move(decoded.document)};
}

Printed problems_of(const std::string& manifest, const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) {
    text += printable(manifest) + ": " + printable(problem.field) + ": " + printable(problem.text) + "\n";
  }
  return {2, "", text};
}

}  // namespace carrack::control
