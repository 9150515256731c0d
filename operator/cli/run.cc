#include "operator/cli/run.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "operator/cli/printable.h"
#include "operator/cli/progress_line.h"
#include "operator/cli/run_request.h"
#include "operator/cli/second_run.h"
#include "operator/error.h"
#include "operator/local/local_cluster.h"
#include "operator/runtime/loop.h"

namespace carrack::control {
namespace {

constexpr auto show_every = std::chrono::milliseconds(200);

std::atomic<int> interrupts = 0;

// What went wrong without ending the run, each once.
class Troubles {
 public:
  void note(const Look& look) {
    const std::lock_guard lock(mutex_);
    if (!look.why.empty() && known_.insert(look.why).second) fresh_.push_back(look.why);
  }

  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(fresh_, {});
  }

 private:
  std::mutex mutex_;
  std::set<std::string> known_;
  std::vector<std::string> fresh_;
};

std::string new_uid() {
  std::random_device entropy;
  char text[33];
  std::snprintf(text, sizeof text, "%08x%08x%08x%08x", entropy(), entropy(), entropy(), entropy());
  return text;
}

std::variant<KeptJob, Stay> job_in(const RunFolder& folder, JobSpec asked) {
  if (const std::optional<KeptJob> kept = folder.kept()) return second_run(*kept, std::move(asked), folder.path());
  asked.uid = new_uid();
  asked.generation = 1;
  return KeptJob{std::move(asked), {}};
}

void interrupt_by(int signal) {
  struct sigaction action {};
  sigaction(signal, nullptr, &action);
  if (action.sa_handler == SIG_IGN) return;  // As nohup has it.
  action = {};
  action.sa_handler = [](int) { ++interrupts; };
  sigaction(signal, &action, nullptr);
}

void set_signals() {
  interrupt_by(SIGINT);
  interrupt_by(SIGTERM);
  interrupt_by(SIGHUP);
  // Nobody who stops to read ends the run, and a file that may not be as long is told of by its name.
  for (const int ignored : {SIGPIPE, SIGXFSZ}) signal(ignored, SIG_IGN);
}

void say(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

// Shows the job until it has finished or been suspended, which an interrupt asks for; then stops the loop.
void show(LocalCluster& cluster, const Clock& clock, Troubles& troubles, std::stop_source& stop) {
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
    say(line.next(status, std::chrono::floor<seconds>(clock.now())));
    for (const std::string& trouble : troubles.take()) {
      say(line.end());
      std::fprintf(stderr, "carrack run: %s; tries again, until it is interrupted\n", printable(trouble).c_str());
    }
    if (is_finished(status) || suspended) break;
    std::this_thread::sleep_for(show_every);
  }
  say(line.end());
  stop.request_stop();
}

void print_beginning(const KeptJob& job, const std::string& folder) {
  if (job.status == JobStatus()) return;
  const std::int64_t step = job.status.last_checkpoint ? job.status.last_checkpoint->step : 0;
  say("goes on with the run in " + folder + ", from step " + std::to_string(step) + "\n");
}

std::string places(const JobStatus& status, const JobSpec& spec, const RunRequest& request) {
  const std::string checkpoint = checkpoint_text(status, spec);
  return checkpoint + (checkpoint.empty() ? "" : "\n") + "logs: " + request.folder + "/logs\n";
}

int conclude_unfinished(const JobStatus& status, const JobSpec& spec, const RunRequest& request) {
  const std::int64_t step = status.last_checkpoint ? status.last_checkpoint->step : 0;
  const std::int64_t done = status.progress ? status.progress->step : 0;
  const std::string again = ", and computes " + std::to_string(done - step) + " steps again that were not committed";
  const std::string first = spec.suspend ? "take spec.suspend out of " + request.manifest + ", then " : "";
  say((interrupts < 2 ? "suspended; it goes on from step " : "ended; it goes on from step ") + std::to_string(step) +
      (done > step ? again : "") + "\n" + places(status, spec, request) + "to go on: " + first + "carrack run" +
      request.typed + "\n");
  return 130;
}

int conclude(const JobStatus& status, const JobSpec& spec, const RunRequest& request) {
  if (!is_finished(status)) return conclude_unfinished(status, spec, request);
  const bool succeeded = holds(status, ConditionType::succeeded);
  say(condition_text(status) + "\n" + places(status, spec, request));
  if (!succeeded) say("to try again, if that can be mended: carrack run" + request.typed + "\n");
  return succeeded ? 0 : 1;
}

int run_job(const RunRequest& request, const JobSpec& spec, const ModelCheck& check_model) {
  RunFolder folder(request.folder);
  const auto begun = job_in(folder, spec);
  if (const auto* stay = std::get_if<Stay>(&begun)) {
    std::fprintf(stay->exit_code == 0 ? stdout : stderr, "carrack run: %s\n", stay->text.c_str());
    return stay->exit_code;
  }
  LocalCluster cluster(std::get<KeptJob>(begun), folder, request.trainer);
  print_beginning(std::get<KeptJob>(begun), folder.path());
  const SystemClock clock;
  Troubles troubles;
  Loop loop(
      cluster, clock,
      [&](const JobSpec& job, const JobStatus& status, const Observed& observed, Time now) {
        return reconcile(job, status, observed, now, check_model);
      },
      [&](const Look& look) { troubles.note(look); });
  cluster.watch([&](const std::string& job) { loop.wake(job); });
  std::stop_source stop;
  std::jthread shown([&] { show(cluster, clock, troubles, stop); });
  // On this thread, which lives as long as the processes that it starts.
  loop.run(stop.get_token());
  loop.turn();  // What was told by the last to leave.
  shown.join();
  cluster.watch([](const std::string&) {});  // It outlives the loop.
  return conclude(cluster.status(), spec, request);
}

}  // namespace

int run(std::span<char* const> arguments, const ModelCheck& check_model) {
  try {
    auto request = run_request(arguments);
    if (const auto* printed = std::get_if<Printed>(&request)) return print(*printed);
    auto& asked = std::get<RunRequest>(request);
    const auto spec = job_of(asked, check_model);
    if (const auto* printed = std::get_if<Printed>(&spec)) return print(*printed);
    set_signals();
    return run_job(asked, std::get<JobSpec>(spec), check_model);
  } catch (const Error& error) {
    std::fprintf(stderr, "carrack run: %s\n", printable(error.what()).c_str());
    return error.blame() == Blame::user ? 2 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "carrack run: %s\n", printable(error.what()).c_str());
    return 1;
  }
}

}  // namespace carrack::control
