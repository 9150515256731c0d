#include "operator/cli/init.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "dataloader/error.h"
#include "operator/cli/command_line.h"
#include "operator/cli/new_manifest.h"
#include "operator/codec/fields.h"
#include "operator/core/printable.h"
#include "operator/error.h"
#include "operator/local/text_file.h"

namespace carrack::control {
namespace {

constexpr const char* usage =
    R"(usage: carrack init FILES... [--model MODEL] [--target FEATURE] [--name NAME] [--to FILE]

Writes a manifest, with comments, for a model of the records in these files: their features, types and sizes are those
that the records have.

  FILES     TFRecord files, as paths, file:// or gs://, with * for any characters within a name
  --model   what is trained (default: MLP):
              Linear       one layer, without a hidden one
              MLP          dense layers
              LSTM         a recurrent layer over the feature with the most values, which are its time steps
              Autoencoder  restores a feature from few numbers, to find records that are unlike the others
  --target  the feature to be predicted (default: the one called y, target, label or class)
  --name    the name of the job (default: that of the first file)
  --to      the file to write, which must not exist (default: standard output)
  --help    print this
)";

constexpr std::size_t name_max = 63;

// Makes the name of a job from the name of a file: a small letter, then small letters, digits and dashes.
std::string job_name(const std::string& file) {
  std::string name;
  for (const char c : std::filesystem::path(file).stem().string()) {
    const auto lower = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const bool is_letter = lower >= 'a' && lower <= 'z';
    const bool is_later = !name.empty() && ((lower >= '0' && lower <= '9') || (lower == '-' && name.back() != '-'));
    if ((is_letter || is_later) && name.size() < name_max) name += lower;
  }
  while (name.ends_with('-')) name.pop_back();
  return name.empty() ? "job" : name;
}

// Returns true if the validation of a manifest would accept this as metadata.name.
bool is_job_name(const std::string& name) {
  const auto is_inner = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !name.empty() && name.size() <= name_max && std::ranges::all_of(name, is_inner) && name.front() >= 'a' &&
         name.back() != '-';
}

std::string manifest_for(const CommandLine& command, const CommandArguments& typed, const FindFeatures& find_features) {
  const NewJob job{.name = typed.value("--name", job_name(typed.paths.front())),
                   .model = typed.value("--model", "MLP"),
                   .files = typed.paths,
                   .target = typed.value("--target", "")};
  if (!is_job_name(job.name)) {
    throw Error(Blame::user,
                "--name: '" + job.name +
                    "' is not a DNS label: a lower-case letter, then lower-case letters, digits and '-', at "
                    "most 63");
  }
  if (std::ranges::find(model_words(), job.model) == model_words().end()) {
    throw Error(Blame::user, "--model: does not know '" + job.model + "'; " + suggestion(job.model, model_words()) +
                                 "; `carrack " + command.name + " --help` describes them");
  }
  try {
    return new_manifest(job, find_features(job.files));
  } catch (const data::Refused& refused) {
    throw Error(Blame::user, refused.what());
  }
}

}  // namespace

int init(std::span<char* const> arguments, const FindFeatures& find_features) {
  return exit_code_of("init", [&]() -> int {
    const CommandLine command{"init", usage, {"--model", "--target", "--name", "--to"}};
    const auto parsed = parse_command_arguments(command, arguments);
    if (const auto* printed = std::get_if<Printed>(&parsed)) return print(*printed);
    const auto& typed = std::get<CommandArguments>(parsed);
    const std::string to = typed.value("--to", "");
    std::error_code ignored;  // If status() fails, writing the file fails, too, and its error says why.
    const std::filesystem::file_status there = std::filesystem::status(to, ignored);
    // A file must not be overwritten. A device such as /dev/null has no content that could be lost.
    const bool is_device = std::filesystem::is_character_file(there);
    if (!to.empty() && std::filesystem::exists(there) && !is_device) throw existing_file_error(to);
    const std::string manifest = manifest_for(command, typed, find_features);
    if (to.empty()) return print({0, manifest, ""});
    if (is_device) {
      write_text_file(to, manifest);
    } else if (!write_new_text_file(to, manifest)) {
      throw existing_file_error(to);
    }
    return print({0,
                  printable(to) + " is written; `carrack validate " + printable(to) +
                      "` looks at it and the data, and `carrack run " + printable(to) + "` trains\n",
                  ""});
  });
}

}  // namespace carrack::control
