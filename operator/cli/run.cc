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
#include "operator/cli/second_run.h"
#include "operator/codec/job.h"
#include "operator/core/validate.h"
#include "operator/error.h"
#include "operator/local/local_cluster.h"
#include "operator/runtime/loop.h"

namespace carrack::control {
namespace {

constexpr auto show_every = std::chrono::milliseconds(200);

constexpr const char* usage = R"(usage: carrack run MANIFEST [--folder FOLDER] [--trainer PROGRAM]

Runs a TrainingJob on this machine until it finishes. Interrupted, it commits what is done and stops; interrupted again,
it ends at once. The same command goes on with a run that was stopped, however it was.

  MANIFEST   YAML or JSON, as for kubectl apply
  --folder   where logs and, unless the manifest says otherwise, checkpoints go (default: ./carrack-runs/NAME)
  --trainer  the trainer to run (default: the carrack-trainer beside this program)
)";

std::atomic<int> interrupts = 0;

struct Options {
  std::string manifest;
  std::string folder;
  std::string trainer;
  std::string typed;  // After `carrack run`.
};

std::optional<Options> options_from(std::span<char* const> arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string argument = arguments[i];
    options.typed += " " + argument;
    const bool has_value = i + 1 < arguments.size();
    if (argument == "--folder" && has_value) {
      options.typed += " " + (options.folder = arguments[++i]);
    } else if (argument == "--trainer" && has_value) {
      options.typed += " " + (options.trainer = arguments[++i]);
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

// A path as it is found from any folder, or a URL as it is.
std::string from_anywhere(const std::string& place) {
  return place.find("://") == place.npos ? std::filesystem::absolute(place).string() : place;
}

// The job of a manifest, still without a UID; or nothing, and the problems were printed.
std::optional<JobSpec> job_from(Options& options, const ModelCheck& check_model) {
  std::ifstream file(options.manifest, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "carrack run: cannot read %s\n", options.manifest.c_str());
    return std::nullopt;
  }
  DecodedJob decoded = decode_job(std::string(std::istreambuf_iterator<char>(file), {}));
  if (options.folder.empty()) options.folder = "carrack-runs/" + decoded.spec.name;
  options.folder = from_anywhere(options.folder);
  std::string& checkpoints = decoded.spec.config.checkpoint.folder;
  checkpoints = checkpoints.empty() ? options.folder + "/checkpoints" : from_anywhere(checkpoints);
  std::vector<Problem> problems = std::move(decoded.problems);
  if (problems.empty()) problems = problems_in(decoded.spec, check_model);
  for (const Problem& problem : problems) {
    std::fprintf(stderr, "%s: %s: %s\n", options.manifest.c_str(), problem.field.c_str(), problem.text.c_str());
  }
  if (!problems.empty()) return std::nullopt;
  return std::move(decoded.spec);
}

std::variant<KeptJob, Stay> job_in(const RunFolder& folder, JobSpec asked) {
  if (const std::optional<KeptJob> kept = folder.kept()) return second_run(*kept, std::move(asked), folder.path());
  asked.uid = new_uid();
  asked.generation = 1;
  return KeptJob{std::move(asked), {}};
}

void interrupt_by(int signal) {
  struct sigaction action {};
  action.sa_handler = [](int) { ++interrupts; };
  sigaction(signal, &action, nullptr);
}

// Shows the job until it has finished or been suspended, which an interrupt asks for; then stops the loop.
void show(LocalCluster& cluster, std::stop_source& stop) {
  ProgressLine line(isatty(STDOUT_FILENO) != 0);
  bool asked = false;
  while (interrupts < 2) {
    if (interrupts == 1 && !std::exchange(asked, true)) {
      std::fputs("\ncarrack run: workers leave, then what is done is committed; interrupt again to end at once\n",
                 stderr);
      cluster.suspend();
    }
    const bool suspended = cluster.is_suspended();
    const JobStatus status = cluster.status();
    line.show(status);
    if (is_finished(status) || suspended) break;
    std::this_thread::sleep_for(show_every);
  }
  stop.request_stop();
}

void print_beginning(const KeptJob& job, const std::string& folder) {
  if (job.status == JobStatus()) return;
  const long long step = job.status.last_checkpoint ? job.status.last_checkpoint->step : 0;
  std::printf("goes on with the run in %s, from step %lld\n", folder.c_str(), step);
  std::fflush(stdout);
}

void print_places(const JobStatus& status, const JobSpec& spec, const Options& options) {
  if (status.last_checkpoint) {
    std::printf("checkpoint of step %lld: %s/%s\n", static_cast<long long>(status.last_checkpoint->step),
                spec.config.checkpoint.folder.c_str(), status.last_checkpoint->name.c_str());
  }
  std::printf("logs: %s/logs\n", options.folder.c_str());
}

int conclude_unfinished(const JobStatus& status, const JobSpec& spec, const Options& options) {
  const std::int64_t step = status.last_checkpoint ? status.last_checkpoint->step : 0;
  const std::int64_t done = status.progress ? status.progress->step : 0;
  const std::string again = ", and computes " + std::to_string(done - step) + " steps again that were not committed";
  std::printf("%s; it goes on from step %lld%s\n", interrupts < 2 ? "suspended" : "ended", static_cast<long long>(step),
              done > step ? again.c_str() : "");
  print_places(status, spec, options);
  const std::string first = spec.suspend ? "take spec.suspend out of " + options.manifest + ", then " : "";
  std::printf("to go on: %scarrack run%s\n", first.c_str(), options.typed.c_str());
  return 130;
}

int conclude(const JobStatus& status, const JobSpec& spec, const Options& options) {
  if (!is_finished(status)) return conclude_unfinished(status, spec, options);
  const bool succeeded = holds(status, ConditionType::succeeded);
  const Condition* end = find(status, succeeded ? ConditionType::succeeded : ConditionType::failed);
  std::printf("%s%s%s\n", end->reason.c_str(), end->message.empty() ? "" : ": ", end->message.c_str());
  print_places(status, spec, options);
  if (!succeeded) std::printf("%s\n", how_to_train_anew(spec, options.folder).c_str());
  return succeeded ? 0 : 1;
}

}  // namespace

int run(std::span<char* const> arguments, const ModelCheck& check_model) {
  std::optional<Options> options = options_from(arguments);
  if (!options) {
    std::fputs(usage, stderr);
    return 2;
  }
  std::optional<JobSpec> spec = job_from(*options, check_model);
  if (!spec) return 2;
  interrupt_by(SIGINT);
  interrupt_by(SIGTERM);
  try {
    RunFolder folder(options->folder);
    const auto begun = job_in(folder, *spec);
    if (const auto* stay = std::get_if<Stay>(&begun)) {
      std::fprintf(stay->exit_code == 0 ? stdout : stderr, "carrack run: %s\n", stay->text.c_str());
      return stay->exit_code;
    }
    print_beginning(std::get<KeptJob>(begun), folder.path());
    LocalCluster cluster(std::get<KeptJob>(begun), folder, options->trainer);
    const SystemClock clock;
    Loop loop(cluster, clock, [&](const JobSpec& job, const JobStatus& status, const Observed& observed, Time now) {
      return reconcile(job, status, observed, now, check_model);
    });
    cluster.watch([&](const std::string& job) { loop.wake(job); });
    std::stop_source stop;
    const std::jthread shown([&] { show(cluster, stop); });
    // On this thread, which lives as long as the processes that it starts.
    loop.run(stop.get_token());
    cluster.watch([](const std::string&) {});  // It outlives the loop.
    return conclude(cluster.status(), *spec, *options);
  } catch (const Error& error) {
    std::fprintf(stderr, "carrack run: %s\n", error.what());
    return error.blame() == Blame::user ? 2 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "carrack run: %s\n", error.what());
    return 1;
  }
}

}  // namespace carrack::control
