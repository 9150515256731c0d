#include "operator/cli/run_request.h"

#include <filesystem>

#include "operator/cli/printable.h"
#include "operator/codec/fields.h"
#include "operator/codec/job.h"
#include "operator/local/text_file.h"

namespace carrack::control {
namespace {

constexpr const char* usage = R"(usage: carrack run MANIFEST [--folder FOLDER] [--trainer PROGRAM]

Runs a TrainingJob on this machine until it finishes. Interrupted, it commits what is done and stops; interrupted again,
it ends at once. The same command goes on with a run that was stopped or has failed, however it was.

  MANIFEST   YAML or JSON, as for kubectl apply
  --folder   where logs and, unless the manifest says otherwise, checkpoints go (default: ./carrack-runs/NAME)
  --trainer  the trainer to run (default: the carrack-trainer beside this program)
  --help     print this
)";

Printed wrong(const std::string& text) {
  return {2, "", "carrack run: " + text + "\n"};
}

// A path as it is found from any folder and in one spelling, or a URL as it is.
std::string from_anywhere(const std::string& place) {
  if (place.empty() || place.find("://") != place.npos) return place;
  std::error_code failed;
  const std::filesystem::path path = std::filesystem::absolute(place);
  const std::filesystem::path known = std::filesystem::weakly_canonical(path, failed);
  const std::filesystem::path plain = (failed ? path : known).lexically_normal();
  return plain.has_filename() ? plain : plain.parent_path();
}

void set_paths(JobSpec& spec, RunRequest& request) {
  if (request.folder.empty()) request.folder = "carrack-runs/" + spec.name;
  request.folder = from_anywhere(request.folder);
  train::Config& config = spec.config;
  std::string& checkpoints = config.checkpoint.folder;
  checkpoints = checkpoints.empty() ? request.folder + "/checkpoints" : from_anywhere(checkpoints);
  config.checkpoint.resume = from_anywhere(config.checkpoint.resume);
  for (std::string& file : config.data.files) file = from_anywhere(file);
  for (train::MixedSet& set : config.data.mix) {
    for (std::string& file : set.files) file = from_anywhere(file);
  }
  for (train::Stage& stage : config.data.stages)
    if (auto* snapshot = std::get_if<train::Snapshot>(&stage)) snapshot->folder = from_anywhere(snapshot->folder);
}

}  // namespace

std::variant<RunRequest, Printed> run_request(std::span<char* const> arguments) {
  RunRequest request;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string argument = arguments[i];
    request.typed += " " + shell_word(argument);
    if (argument == "--help" || argument == "-h") return Printed{0, usage, ""};
    if (!argument.starts_with("-")) {
      if (!request.manifest.empty()) return wrong("takes one manifest; '" + printable(argument) + "' is one too many");
      request.manifest = argument;
      continue;
    }
    const std::size_t equals = argument.find('=');
    const std::string option = argument.substr(0, equals);
    if (option != "--folder" && option != "--trainer") {
      return wrong("does not know '" + printable(option) + "'; " +
                   suggestion(option, {"--folder", "--trainer", "--help"}) +
                   "; `carrack run --help` lists what it does");
    }
    std::string& value = option == "--folder" ? request.folder : request.trainer;
    if (equals != argument.npos) {
      value = argument.substr(equals + 1);
    } else if (i + 1 < arguments.size()) {
      request.typed += " " + shell_word(value = arguments[++i]);
    }
    if (value.empty()) return wrong(option + " needs a value");
  }
  if (request.manifest.empty()) return Printed{2, "", usage};
  if (request.trainer.empty()) {
    request.trainer = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "carrack-trainer";
  }
  return request;
}

std::variant<JobSpec, Printed> job_of(RunRequest& request, const ModelCheck& check_model) {
  DecodedJob decoded = decode_job(text_of_file(request.manifest));
  std::vector<Problem> problems = std::move(decoded.problems);
  if (problems.empty()) {
    set_paths(decoded.spec, request);
    problems = with_lines(problems_in(decoded.spec, check_model), decoded.document);
  }
  if (problems.empty()) return std::move(decoded.spec);
  std::string text;
  for (const Problem& problem : problems) {
    text += printable(request.manifest) + ": " + printable(problem.field) + ": " + printable(problem.text) + "\n";
  }
  return Printed{2, "", text};
}

}  // namespace carrack::control
