#include "operator/cli/run_request.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>

#include "operator/codec/fields.h"
#include "operator/codec/job.h"
#include "operator/core/printable.h"
#include "operator/local/text_file.h"

namespace carrack::control {
namespace {

constexpr const char* usage = R"(usage: carrack run MANIFEST [--folder FOLDER] [--trainer PROGRAM]

Runs a TrainingJob on this machine until it finishes. An interrupt (Ctrl-C) commits what is done and stops; a second one
ends it at once. The same command goes on with a run that was stopped or has failed, in whatever way.

  MANIFEST   YAML or JSON, as for kubectl apply
  --folder   where logs go, and checkpoints unless the manifest names a folder (default: ./carrack-runs/NAME)
  --trainer  the trainer to run (default: the carrack-trainer beside this program)
  --help     print this
)";

Printed usage_error(const std::string& text) {
  return {2, "", "carrack run: " + text + "\n"};
}

// A path as absolute and canonical as possible, without a trailing slash; a URL unchanged.
std::string absolute_or_url(const std::string& path_or_url) {
  if (path_or_url.empty() || path_or_url.find("://") != path_or_url.npos) return path_or_url;
  std::error_code failed;
  const std::filesystem::path path = std::filesystem::absolute(path_or_url);
  const std::filesystem::path canonical = std::filesystem::weakly_canonical(path, failed);
  const std::filesystem::path normal = (failed ? path : canonical).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

void make_paths_absolute(JobSpec& spec, RunRequest& request) {
  if (request.folder.empty()) request.folder = "carrack-runs/" + spec.name;
  request.folder = absolute_or_url(request.folder);
  train::Config& config = spec.config;
  std::string& checkpoints = config.checkpoint.folder;
  checkpoints = checkpoints.empty() ? request.folder + "/checkpoints" : absolute_or_url(checkpoints);
  config.checkpoint.resume = absolute_or_url(config.checkpoint.resume);
  for (std::string& file : config.data.files) file = absolute_or_url(file);
  for (train::MixedSet& set : config.data.mix) {
    for (std::string& file : set.files) file = absolute_or_url(file);
  }
  for (train::Stage& stage : config.data.stages)
    if (auto* snapshot = std::get_if<train::Snapshot>(&stage)) snapshot->folder = absolute_or_url(snapshot->folder);
}

}  // namespace

std::string shell_word(const std::string& word) {
  constexpr std::string_view plain = "-_./:=@%+,";
  const bool is_plain = !word.empty() && std::ranges::all_of(word, [&](unsigned char c) {
    return std::isalnum(c) || plain.find(static_cast<char>(c)) != plain.npos || c >= 0x80;
  });
  if (is_plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::variant<RunRequest, Printed> parse_run_request(std::span<char* const> arguments) {
  RunRequest request;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string argument = arguments[i];
    request.typed += " " + shell_word(argument);
    if (argument == "--help" || argument == "-h") return Printed{0, usage, ""};
    if (!argument.starts_with("-")) {
      if (!request.manifest.empty())
        return usage_error("takes one manifest; '" + printable(argument) + "' is one too many");
      request.manifest = argument;
      continue;
    }
    const std::size_t equals = argument.find('=');
    const std::string option = argument.substr(0, equals);
    if (option != "--folder" && option != "--trainer") {
      return usage_error("does not know '" + printable(option) + "'; " +
                         suggestion(option, {"--folder", "--trainer", "--help"}) +
                         "; `carrack run --help` lists what it does");
    }
    std::string& value = option == "--folder" ? request.folder : request.trainer;
    if (equals != argument.npos) {
      value = argument.substr(equals + 1);
    } else if (i + 1 < arguments.size()) {
      request.typed += " " + shell_word(value = arguments[++i]);
    }
    if (value.empty()) return usage_error(option + " needs a value");
  }
  if (request.manifest.empty()) return Printed{2, "", usage};
  if (request.trainer.empty()) {
    request.trainer = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "carrack-trainer";
  }
  return request;
}

std::variant<JobSpec, Printed> load_job(RunRequest& request, const ModelCheck& check_model) {
  DecodedJob decoded = decode_job(read_text_file(request.manifest));
  std::vector<Problem> problems = std::move(decoded.problems);
  if (problems.empty()) {
    make_paths_absolute(decoded.spec, request);
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
