#include "operator/cli/convert.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <variant>

#include "operator/cli/command_line.h"
#include "operator/cli/run_request.h"
#include "operator/codec/job.h"
#include "operator/convert/kubeflow.h"
#include "operator/core/printable.h"
#include "operator/error.h"
#include "operator/local/text_file.h"

namespace carrack::control {
namespace {

constexpr const char* usage = R"(usage: carrack convert MANIFEST [--to FILE]

Turns a TFJob or PyTorchJob of Kubeflow's training operator (kubeflow.org/v1) into a TrainingJob that runs the same
images. What becomes of each field is printed as errors are: kept, renamed, changed, added, dropped or unsupported.
Comments are lost.

  MANIFEST  YAML or JSON, as for kubectl apply; - is the standard input
  --to      the file to write, which must not exist (default: standard output)
  --help    print this
)";

constexpr std::size_t width_of_kind = 13;

std::string line_of(const Change& change, const Node& document) {
  std::string line(spelled(change.kind));
  line.resize(width_of_kind, ' ');
  line += change.field + (change.text.empty() ? "" : ": " + change.text) + place_of(document, change.field);
  return printable_line(line) + "\n";
}

std::string describe(const std::vector<Change>& changes, const Node& document) {
  std::string text;
  for (const Change& change : changes) text += line_of(change, document);
  const auto lost = std::ranges::count(changes, ChangeKind::unsupported, &Change::kind);
  return text + std::to_string(lost) + " unsupported; comments are not in the new manifest\n";
}

}  // namespace

int convert(std::span<char* const> arguments) {
  return exit_code_of("convert", [&]() -> int {
    const CommandLine command{.name = "convert", .usage = usage, .options = {"--to"}, .takes_input = true};
    const auto parsed = parse_manifest_arguments(command, arguments);
    if (const auto* printed = std::get_if<Printed>(&parsed)) return print(*printed);
    const auto& typed = std::get<ManifestArguments>(parsed);
    const std::string to = typed.value("--to", "");
    std::error_code ignored;  // If exists() fails, write_new_text_file() fails, too, and its error says why.
    if (!to.empty() && std::filesystem::exists(to, ignored)) throw existing_file_error(to);
    const Parsed document = parse_manifest(read_text_file_or_input(typed.manifest));
    if (const auto* problem = std::get_if<Problem>(&document)) return print(problems_of(typed.manifest, {*problem}));
    const Node& manifest = std::get<Node>(document);
    const ConvertedJob converted = convert_kubeflow(manifest);
    if (!converted.problems.empty()) {
      return print(problems_of(typed.manifest, with_places(converted.problems, manifest)));
    }
    const std::string text = to_yaml(converted.job), changes = describe(converted.changes, manifest);
    if (to.empty()) return print({0, text, changes});
    if (!write_new_text_file(to, text)) throw existing_file_error(to);
    return print({0, printable(to) + " is written\n", changes});
  });
}

}  // namespace carrack::control
