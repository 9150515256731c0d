#include "operator/cli/run.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <string>

#include "operator/cli/progress_line.h"
#include "operator/codec/job.h"
#include "operator/core/validate.h"
#include "operator/error.h"
#include "operator/local/local_cluster.h"
#include "operator/runtime/loop.h"

namespace carrack::control {
namespace {

constexpr auto show_every = std::chrono::milliseconds(200);

constexpr const char* usage = R"(usage: carrack run MANIFEST [--folder FOLDER] [--trainer PROGRAM]

Runs a TrainingJob on this machine until it finishes.

  MANIFEST   YAML or JSON, as for kubectl apply
  --folder   where logs and, unless the manifest says otherwise, checkpoints go (default: ./carrack-runs/NAME)
  --trainer  the trainer to run (default: the carrack-trainer beside this program)
)";

std::atomic<bool> interrupted = false;

struct Options {
  std::string manifest;
  std::string folder;
  std::string trainer;
};

std::optional<Options> options_from(std::span<char* const> arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string argument = arguments[i];
    const bool has_value = i + 1 < arguments.size();
    if (argument == "--folder" && has_value) {
      options.folder = arguments[++i];
    } else if (argument == "--trainer" && has_value) {
      options.trainer = arguments[++i];
    } else if (!argument.starts_with("-") && options.manifest.empty()) {
      options.manifest = argument;
    } else {
      return std::nullopt;
    }
  }
  if (options.manifest.empty()) return std::nullopt;
  if (options.trainer.empty()) {
    options.trainer = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "carrack-trainer";
  }
  return options;
}

std::string new_uid() {
  std::random_device entropy;
  char text[33];
  std::snprintf(text, sizeof text, "%08x%08x%08x%08x", entropy(), entropy(), entropy(), entropy());
  return text;
}

// The job of a manifest, ready to run; or nothing, and the problems were printed.
std::optional<JobSpec> job_from(Options& options, const ModelCheck& check_model) {
  std::ifstream file(options.manifest, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "carrack run: cannot read %s\n", options.manifest.c_str());
    return std::nullopt;
  }
  DecodedJob decoded = decode_job(std::string(std::istreambuf_iterator<char>(file), {}));
  if (options.folder.empty()) options.folder = "carrack-runs/" + decoded.spec.name;
  options.folder = std::filesystem::absolute(options.folder);
  std::string& checkpoints = decoded.spec.config.checkpoint.folder;
  if (checkpoints.empty()) checkpoints = options.folder + "/checkpoints";
  std::vector<Problem> problems = std::move(decoded.problems);
  if (problems.empty()) problems = problems_in(decoded.spec, check_model);
  for (const Problem& problem : problems) {
    std::fprintf(stderr, "%s: %s: %s\n", options.manifest.c_str(), problem.field.c_str(), problem.text.c_str());
  }
  if (!problems.empty()) return std::nullopt;
  decoded.spec.uid = new_uid();
  decoded.spec.generation = 1;
  return std::move(decoded.spec);
}

void interrupt_by(int signal) {
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = true; };
  sigaction(signal, &action, nullptr);
}

// Shows the job until it has finished or is interrupted, then stops the loop.
void show(const LocalCluster& cluster, std::stop_source& stop) {
  ProgressLine line(isatty(STDOUT_FILENO) != 0);
  while (!interrupted) {
    const JobStatus status = cluster.status();
    line.show(status);
    if (is_finished(status)) break;
    std::this_thread::sleep_for(show_every);
  }
  stop.request_stop();
}

int conclude(const JobStatus& status, const JobSpec& spec, const Options& options) {
  if (interrupted) {
    std::fprintf(stderr, "\ncarrack run: interrupted; what was committed is in %s\n",
                 spec.config.checkpoint.folder.c_str());
    return 130;
  }
  const bool succeeded = holds(status, ConditionType::succeeded);
  const Condition* end = find(status, succeeded ? ConditionType::succeeded : ConditionType::failed);
  std::printf("%s%s%s\n", end->reason.c_str(), end->message.empty() ? "" : ": ", end->message.c_str());
  if (status.last_checkpoint) {
    std::printf("checkpoint of step %lld: %s/%s\n", static_cast<long long>(status.last_checkpoint->step),
                spec.config.checkpoint.folder.c_str(), status.last_checkpoint->name.c_str());
  }
  std::printf("logs: %s/logs\n", options.folder.c_str());
  return succeeded ? 0 : 1;
}

}  // namespace

int run(std::span<char* const> arguments, const ModelCheck& check_model) {
  std::optional<Options> options = options_from(arguments);
  if (!options) {
    std::fputs(usage, stderr);
    return 2;
  }
  const std::optional<JobSpec> spec = job_from(*options, check_model);
  if (!spec) return 2;
  interrupt_by(SIGINT);
  interrupt_by(SIGTERM);
  try {
    LocalCluster cluster(*spec, {options->trainer, options->folder});
    const SystemClock clock;
    Loop loop(cluster, clock, [&](const JobSpec& job, const JobStatus& status, const Observed& observed, Time now) {
      return reconcile(job, status, observed, now, check_model);
    });
    cluster.watch([&](const std::string& job) { loop.wake(job); });
    std::stop_source stop;
    const std::jthread shown([&] { show(cluster, stop); });
    // On this thread, which lives as long as the processes that it starts.
    loop.run(stop.get_token());
    return conclude(cluster.status(), *spec, *options);
  } catch (const Error& error) {
    std::fprintf(stderr, "carrack run: %s\n", error.what());
    return 1;
  }
}

}  // namespace carrack::control
