#include "operator/cli/step.h"

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <string>
#include <variant>

#include "operator/cli/run_request.h"
#include "operator/codec/fields.h"
#include "operator/core/printable.h"
#include "operator/error.h"
#include "operator/local/trainer_process.h"

namespace carrack::control {
namespace {

constexpr const char* usage = R"(usage: carrack step MANIFEST [--records N] [--trainer PROGRAM]

Computes one step of a TrainingJob on this machine, from its initial values and over its first records, and prints the
range of every layer's output, the norms of gradients and updates, where NaN or infinity appears first, and how far each
value is from an evaluation in double precision.

  MANIFEST   YAML or JSON, as for kubectl apply
  --records  how many records, from 1 to 1000 (default: 4)
  --trainer  the trainer to run (default: the carrack-trainer beside this program)
  --help     print this
)";

constexpr int records_max = 1000;

struct StepRequest {
  std::string manifest, trainer;
  std::string records = "4";
};

Printed usage_error(const std::string& text) {
  return {2, "", "carrack step: " + text + "\n"};
}

bool is_number_of_records(const std::string& text) {
  int records = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), records);
  return error == std::errc() && end == text.data() + text.size() && records >= 1 && records <= records_max;
}

std::variant<StepRequest, Printed> parse_step_request(std::span<char* const> arguments) {
  StepRequest request;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string argument = arguments[i];
    if (argument == "--help" || argument == "-h") return Printed{0, usage, ""};
    if (!argument.starts_with("-")) {
      if (!request.manifest.empty())
        return usage_error("takes one manifest; '" + printable(argument) + "' is one too many");
      request.manifest = argument;
      continue;
    }
    const std::size_t equals = argument.find('=');
    const std::string option = argument.substr(0, equals);
    if (option != "--records" && option != "--trainer") {
      return usage_error("does not know '" + printable(option) + "'; " +
                         suggestion(option, {"--records", "--trainer", "--help"}) +
                         "; `carrack step --help` lists what it does");
    }
    std::string value = equals != argument.npos ? argument.substr(equals + 1) : "";
    if (equals == argument.npos && i + 1 < arguments.size()) value = arguments[++i];
    if (value.empty()) return usage_error(option + " needs a value");
    (option == "--records" ? request.records : request.trainer) = value;
  }
  if (request.manifest.empty()) return Printed{2, "", usage};
  if (!is_number_of_records(request.records)) {
    return usage_error("--records: is '" + printable(request.records) + "'; must be a whole number from 1 to " +
                       std::to_string(records_max));
  }
  if (request.trainer.empty()) {
    request.trainer = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "carrack-trainer";
  }
  return request;
}

}  // namespace

int step(std::span<char* const> arguments, const ModelCheck& check_model) {
  try {
    auto request = parse_step_request(arguments);
    if (const auto* printed = std::get_if<Printed>(&request)) return print(*printed);
    RunRequest job_request{
        .manifest = std::get<StepRequest>(request).manifest, .folder = "", .trainer = "", .typed = ""};
    const auto job = load_job(job_request, check_model);
    if (const auto* printed = std::get_if<Printed>(&job)) return print(*printed);
    const auto& [manifest, trainer, records] = std::get<StepRequest>(request);
    become_trainer(trainer, {"step", records}, std::get<JobSpec>(job));
  } catch (const Error& error) {
    std::fprintf(stderr, "carrack step: %s\n", printable(error.what()).c_str());
    return error.blame() == Blame::user ? 2 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "carrack step: %s\n", printable(error.what()).c_str());
  }
  return 1;
}

}  // namespace carrack::control
