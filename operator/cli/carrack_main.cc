// carrack: the command line; runs jobs on this machine and works with data files.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "dataloader/cli/data_command.h"
#include "dataloader/cli/survey_features.h"
#include "dataloader/credentials/google_storages.h"
#include "dataloader/machine/environment.h"
#include "dataloader/machine/limits.h"
#include "operator/cli/check_model.h"
#include "operator/cli/checkpoint.h"
#include "operator/cli/completion.h"
#include "operator/cli/convert.h"
#include "operator/cli/explain_job.h"
#include "operator/cli/export.h"
#include "operator/cli/init.h"
#include "operator/cli/last_commit.h"
#include "operator/cli/logs.h"
#include "operator/cli/look_at_job.h"
#include "operator/cli/plan.h"
#include "operator/cli/plan_job.h"
#include "operator/cli/plot.h"
#include "operator/cli/predict.h"
#include "operator/cli/program.h"
#include "operator/cli/run.h"
#include "operator/cli/step.h"
#include "operator/cli/top.h"
#include "operator/cli/validate.h"

namespace {

using namespace carrack;

data::Moment now() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

// The storages of this process. They are made when they are first used.
class LazyStorages {
 public:
  explicit LazyStorages(data::RetryLimits retries = {}) : retries_(retries) {}
  const data::Storages& get() {
    if (!google_) {
      std::random_device entropy;
      const std::uint64_t nonce = std::uint64_t{entropy()} << 32 | entropy();
      google_.emplace(environment_, now, nonce, data::memory_of_this_process(), retries_);
    }
    return google_->storages();
  }
  const std::map<std::string, std::string>& environment() const { return environment_; }

 private:
  const data::RetryLimits retries_;
  const std::map<std::string, std::string> environment_ = data::environment_of_this_process();
  std::optional<data::GoogleStorages> google_;
};

int run_data(std::span<char* const> arguments) {
  LazyStorages storages;
  return data::cli::data_command(
      arguments, [&]() -> const data::Storages& { return storages.get(); },
      data::environment_lines(storages.environment()));
}

int checkpoint(std::span<char* const> arguments) {
  LazyStorages storages;
  return control::checkpoint(arguments, [&]() -> const data::Storages& { return storages.get(); });
}

int plot(std::span<char* const> arguments) {
  LazyStorages storages;
  return control::plot(
      arguments, [&]() -> const data::Storages& { return storages.get(); }, storages.environment());
}

control::CheckFiles look_with(LazyStorages& storages) {
  return [&](const control::JobSpec& job, control::WhichFiles which) {
    return control::look_at_job(job, which, storages.get());
  };
}

int run_job(std::span<char* const> arguments) {
  LazyStorages storages;
  return control::run(
      arguments, control::check_model, look_with(storages),
      {.last_commit = [&](const control::JobSpec& job) { return control::last_commit_of(job, storages.get()); },
       .other_owner = [&](const control::JobSpec& job) { return control::other_owner_of_folder(job, storages.get()); }},
      [&](const control::JobSpec& job) {
        return control::chart_for_terminal(job.config.checkpoint.folder, storages.get(), storages.environment());
      });
}

int init(std::span<char* const> arguments) {
  LazyStorages storages;
  return control::init(arguments, [&](const std::vector<std::string>& files) {
    return data::cli::survey_features(files, storages.get());
  });
}

int validate(std::span<char* const> arguments) {
  LazyStorages storages({.tries = 4});  // Few tries, to report within a second that a storage cannot be reached.
  return control::validate(arguments, control::check_model, look_with(storages));
}

int explain(std::span<char* const> arguments) {
  return control::explain_job(arguments, data::environment_of_this_process());
}

int logs(std::span<char* const> arguments) {
  return control::logs(arguments, data::environment_of_this_process());
}

int top(std::span<char* const> arguments) {
  return control::top(arguments, data::environment_of_this_process());
}

int plan(std::span<char* const> arguments) {
  const auto cpus = static_cast<unsigned>(std::ceil(data::cpus_of_this_process()));
  return control::plan(arguments, control::check_model, control::plan_job, cpus);
}

// A command of `carrack`, such as `carrack run`. `commands` has the order of the help text.
struct Command {
  std::string_view name;
  int (*run)(std::span<char* const> arguments);
};

constexpr Command commands[] = {
    {"init", init},
    {"validate", validate},
    {"plan", plan},
    {"run", run_job},
    {"explain", explain},
    {"logs", logs},
    {"top", top},
    {"step", [](std::span<char* const> arguments) { return control::step(arguments, control::check_model); }},
    {"predict", control::predict},
    {"export", control::export_model},
    {"checkpoint", checkpoint},
    {"plot", plot},
    {"data", run_data},
    {"convert", control::convert},
    {"completion", control::completion},
};

constexpr const char* help = R"(usage: carrack init FILES... [options]
       carrack validate MANIFEST... [options]
       carrack plan MANIFEST [options]
       carrack run MANIFEST [options]
       carrack explain JOB|FOLDER [options]
       carrack logs JOB|FOLDER [options]
       carrack top JOB|FOLDER [options]
       carrack step MANIFEST [options]
       carrack predict CHECKPOINT FILES... [options]
       carrack export CHECKPOINT --to FOLDER [options]
       carrack checkpoint list|inspect|verify CHECKPOINT
       carrack plot FOLDER [options]
       carrack data COMMAND FILES... [options]
       carrack convert MANIFEST [--to FILE]
       carrack completion bash|zsh
       carrack --version | --help

Trains models from one manifest, on a laptop or on Kubernetes.

  init        write a manifest for records; `carrack init` lists its options
  validate    say what is wrong with manifests, and with the data for them; `carrack validate` lists its options
  plan        say what a TrainingJob will take: parameters, memory, waiting, requests to storage
  run         run a TrainingJob on this machine; `carrack run` lists its options
  explain     say why a job waits or has failed and what to do; `carrack explain --help` lists its options
  logs        print the logs of all members of a job; `carrack logs --help` lists its options
  top         show how fast a job goes, and its members; `carrack top --help` lists its options
  step        compute one step of a TrainingJob and print it value by value; `carrack step` lists its options
  predict     print what a trained model computes for records; `carrack predict` lists its options
  export      write a trained model as a SavedModel; `carrack export` lists its options
  checkpoint  say what is in a checkpoint folder, and whether it is whole
  plot        draw the loss of a job in the terminal; `carrack plot` lists its options
  data        say what is in files of records, check and convert them; `carrack data` lists its commands
  convert     turn a TFJob or PyTorchJob of Kubeflow into a TrainingJob, and say what changes
  completion  print a script by which a shell completes commands and options
  --version   print the version
  --help      print this
)";

}  // namespace

int main(int argc, char** argv) {
  const std::span<char* const> arguments{argv + 1, argv + argc};
  control::Program carrack{"carrack", help, {}};
  for (const Command& command : commands) {
    if (!arguments.empty() && command.name == arguments[0]) return command.run(arguments.subspan(1));
    carrack.commands.emplace_back(command.name);
  }
  return control::print(control::answer_common(carrack, arguments));
}
