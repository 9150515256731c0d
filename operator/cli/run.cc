#include "operator/cli/run.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "dataloader/mutex.h"
#include "operator/cli/command_line.h"
#include "operator/cli/progress_line.h"
#include "operator/cli/resume_run.h"
#include "operator/cli/run_request.h"
#include "operator/cli/terminal.h"
#include "operator/codec/job.h"
#include "operator/core/last_failure.h"
#include "operator/core/printable.h"
#include "operator/error.h"
#include "operator/explain/phrases.h"
#include "operator/local/local_cluster.h"
#include "operator/local/own_command.h"
#include "operator/runtime/loop.h"

namespace carrack::control {
namespace {

constexpr auto redraw_interval = std::chrono::milliseconds(200);

constexpr int exit_code_of_interrupt = 130;  // as after an end by SIGINT

std::atomic<int> interrupts = 0;

// The errors that do not end the run. take_new() returns each text once, even if it is added again. Safe for several
// threads.
class ErrorsOnce {
 public:
  void add(const std::string& error) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (!error.empty() && known_.insert(error).second) new_.push_back(error);
  }

  std::vector<std::string> take_new() EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return std::exchange(new_, {});
  }

 private:
  Mutex mutex_;
  std::set<std::string> known_ GUARDED_BY(mutex_);
  std::vector<std::string> new_ GUARDED_BY(mutex_);
};

std::string new_uid() {
  std::random_device entropy;
  char text[33];
  std::snprintf(text, sizeof text, "%08x%08x%08x%08x", entropy(), entropy(), entropy(), entropy());
  return text;
}

// Returns `status` with the last commit in the job's checkpoint folder, which the coordinator may not have reported.
JobStatus with_last_commit(JobStatus status, const JobSpec& job, const ReadFolder& read_folder) {
  if (job.own) return status;
  const std::optional<LastCheckpoint> last = read_folder.last_commit(job);
  const std::int64_t known = status.last_checkpoint ? status.last_checkpoint->step : 0;
  if (last && last->step > known) status.last_checkpoint = last;
  return status;
}

// If the folder has a saved job, returns it with its status, or the reason why it cannot go on. Otherwise returns a new
// job with a new UID.
std::variant<SavedJob, RunRefusal> job_to_run(const RunFolder& folder, JobSpec requested,
                                              const ReadFolder& read_folder) {
  if (std::optional<SavedJob> saved = folder.load()) {
    saved->status = with_last_commit(std::move(saved->status), saved->spec, read_folder);
    return resume_run(*saved, std::move(requested), folder.path(), read_folder.other_owner(saved->spec));
  }
  requested.uid = new_uid();
  fill_in_folder(requested);
  requested.generation = 1;
  return SavedJob{std::move(requested), {}};
}

// The handler of an interrupt while processes of the job may run. SIGHUP counts only as the first interrupt: if a
// terminal is closed, its shell sends SIGHUP, and when the shell ends the kernel sends it again.
void count_interrupt(int signal) {
  if (signal != SIGHUP) {
    ++interrupts;
  } else {
    int none = 0;
    interrupts.compare_exchange_strong(none, 1);
  }
}

// The handler of an interrupt while no process of the job runs, so that it also ends a wait for a storage.
void end_at_once(int) {
  _exit(exit_code_of_interrupt);
}

void handle_interrupts(void (*handler)(int)) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    sigaction(number, nullptr, &action);
    if (action.sa_handler == SIG_IGN) continue;  // nohup, for instance, ignores SIGHUP
    action = {};
    action.sa_handler = handler;
    sigaction(number, &action, nullptr);
  }
}

void set_signal_handlers() {
  handle_interrupts(end_at_once);
  // By default a write to a closed pipe or beyond the limit of file sizes ends the process by one of these signals.
  // If they are ignored, the write fails instead, and the error names the file.
  for (const int ignored : {SIGPIPE, SIGXFSZ}) signal(ignored, SIG_IGN);
}

void print_flushed(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

std::optional<TerminalView> terminal_for(const train::Training& training) {
  if (!output_is_terminal()) return std::nullopt;
  return TerminalView{.columns = columns_of_terminal, .batch = training.batch, .epochs = training.epochs};
}

// Shows the job until it has finished or is suspended, or until a second interrupt; then requests the stop of the loop.
void show_until_end(LocalCluster& cluster, const Clock& clock, const JobSpec& job, ErrorsOnce& errors,
                    std::stop_source& stop) {
  const bool of_trainer = !job.own;
  ProgressLine line(terminal_for(job.config.training), job);
  bool is_suspending = false;
  while (interrupts < 2) {
    if (interrupts == 1 && !std::exchange(is_suspending, true)) {
      std::fprintf(stderr, "\ncarrack run: %s; interrupt again to end at once\n",
                   of_trainer ? "workers leave, then what is done is committed" : "all processes are told to end");
      cluster.suspend();
    }
    const bool is_suspended = cluster.is_suspended();
    const JobStatus status = cluster.status();
    print_flushed(line.next(status, std::chrono::floor<seconds>(clock.now())));
    for (const std::string& error : errors.take_new()) {
      print_flushed(line.end());
      std::fprintf(stderr, "carrack run: %s; tries again, until it is interrupted\n", printable(error).c_str());
    }
    if (is_finished(status) || is_suspended) break;
    cluster.wait_for_end(redraw_interval);
  }
  print_flushed(line.end());
  stop.request_stop();
}

// Returns lines that say what this run does with the pod templates of the manifest; empty if it has none.
std::string use_of_templates(const JobSpec& spec) {
  if (spec.own) return "runs the commands of the pod templates on this machine, without their images and volumes\n";
  std::string text, ignored;
  for (const auto& [role, name] : train::spellings<train::Role>) {
    if (!pod_options(spec, role).pod_template) continue;
    const std::string field = "spec.replicas." + std::string(name) + ".template";
    if (runs_own_program(spec, role)) {
      text += field + ": runs its command on this machine, without its image and volumes\n";
    } else {
      ignored += (ignored.empty() ? "" : ", ") + field;
    }
  }
  return text + (ignored.empty() ? "" : ignored + ": ignored, as this run starts processes and no pods\n");
}

void print_start(const SavedJob& job, const std::string& folder) {
  print_flushed(use_of_templates(job.spec));
  if (job.status == JobStatus()) return;
  const std::int64_t step = job.status.last_checkpoint ? job.status.last_checkpoint->step : 0;
  const std::string from = job.spec.own ? "" : ", from step " + std::to_string(step);
  print_flushed("goes on with the run in " + folder + from + "\n");
}

// Returns lines that say where the logs and the checkpoints of the run are.
std::string result_places(const JobStatus& status, const JobSpec& spec, const RunRequest& request,
                          const std::string& other_owner) {
  const std::optional<LastFailure>& failure = status.last_failure;
  std::string logs;
  const Condition* failed = find(status, ConditionType::failed);
  if (failed && failed->holds && failure && is_about_last_failure(failed->reason)) {
    logs =
        printable_line("log of " + failure->member + ": " + request.folder + "/logs/" + failure->pod + ".log") + "\n";
  }
  logs += "logs: " + request.folder + "/logs\n";
  if (!other_owner.empty()) return (status.last_checkpoint ? other_owner_text(spec, other_owner) + "\n" : "") + logs;
  std::string text;
  for (const std::string& checkpoint : {checkpoint_text(status, spec), best_checkpoint_text(status, spec)}) {
    if (!checkpoint.empty()) text += checkpoint + "\n";
  }
  if (status.last_checkpoint && status.last_checkpoint->skipped_records > 0)
    text += printable_line("left out: " + skipped_phrase(*status.last_checkpoint)) + "\n";
  return text + logs;
}

// Prints how to go on with a run that was interrupted. Returns the exit code.
int conclude_unfinished(const JobStatus& status, const JobSpec& spec, const RunRequest& request,
                        const std::string& other_owner) {
  const std::int64_t step = status.last_checkpoint ? status.last_checkpoint->step : 0;
  const std::int64_t done = status.progress ? status.progress->step : 0;
  const std::string repeated = ", and computes " + std::to_string(done - step) + " steps again that were not committed";
  const bool manifest_suspends = spec.run.suspend && !request.sets_suspend;
  const std::string first = manifest_suspends ? "take spec.run.suspend out of " + request.manifest + ", then " : "";
  const std::string from = "; it goes on from step " + std::to_string(step) + (done > step ? repeated : "");
  print_flushed((interrupts < 2 ? "suspended" : "ended") + (spec.own ? "" : from) + "\n" +
                result_places(status, spec, request, other_owner) + "to go on: " + first + "carrack run" +
                request.typed_to_go_on + "\n");
  return exit_code_of_interrupt;
}

int conclude(const JobStatus& status, const JobSpec& spec, const RunRequest& request, const std::string& other_owner) {
  if (!is_finished(status)) return conclude_unfinished(status, spec, request, other_owner);
  const bool succeeded = holds(status, ConditionType::succeeded);
  print_flushed(condition_text(status) + "\n" + result_places(status, spec, request, other_owner));
  if (!succeeded) print_flushed("to try again, if that can be mended: carrack run" + request.typed + "\n");
  return succeeded ? 0 : 1;
}

// Returns the problems with the files and programs of the job, as text to print; empty if there are none. `document` is
// its manifest. Remote files are left to the processes of the job, which try again while the storage cannot be reached.
std::string problems_of_files(const RunRequest& request, const JobSpec& job, const Node& document,
                              const CheckFiles& look) {
  const std::vector<Problem> of_commands = problems_of_own_commands(job);
  if (!of_commands.empty()) return problems_of(request.manifest, with_places(of_commands, document)).err;
  if (job.own || !request.looks_at_files) return "";
  const FilesReport found = check_files_with_places(look, WhichFiles::local_files, job, document);
  return problems_of(request.manifest, found.problems).err;
}

// Runs the job until it has finished, or until interrupts have suspended or ended it. Returns its last status. No
// process of the job is left when this returns.
JobStatus run_to_end(const SavedJob& job, RunFolder& folder, const std::string& trainer,
                     const ModelCheck& check_model) {
  LocalCluster cluster(job, folder, trainer);
  print_start(job, folder.path());
  const SystemClock clock;
  ErrorsOnce errors;
  Loop loop(
      cluster, clock,
      [&](const JobSpec& current, const JobStatus& status, const Observed& observed, Time now) {
        return reconcile(current, status, observed, now, check_model);
      },
      [&](const Pass& pass) { errors.add(pass.error); },
      {.details = std::chrono::milliseconds(0), .reports = std::chrono::milliseconds(0)});
  cluster.watch([&](const std::string& name) { loop.wake(name); });
  std::stop_source stop;
  std::jthread display([&] { show_until_end(cluster, clock, job.spec, errors, stop); });
  // The loop starts the job's processes, and the kernel kills these when the thread that started them ends
  // (PR_SET_PDEATHSIG). So the loop runs on this thread, which lasts until the end.
  loop.run(stop.get_token());
  loop.turn();  // reads the reports of the last processes that exited
  display.join();
  cluster.watch([](const std::string&) {});  // The cluster outlives `loop`, so it must not call it any more.
  return cluster.status();
}

// Runs the job, or prints why it does not. Calls `find_problems`, which reads files of the job, only if the job is
// going to run.
int run_job(const RunRequest& request, const JobSpec& spec,
            const std::function<std::string(const JobSpec&)>& find_problems, const ModelCheck& check_model,
            const ReadFolder& read_folder, const DrawHistory& draw_history) {
  const bool is_new = !RunFolder::holds_job(request.folder);
  // A new job is checked here, so that its folder is not created if it has problems.
  std::string problems = is_new ? find_problems(spec) : "";
  if (!problems.empty()) return print({2, "", problems});
  RunFolder folder(request.folder);
  const auto job = job_to_run(folder, spec, read_folder);
  if (const auto* refusal = std::get_if<RunRefusal>(&job)) {
    std::fprintf(refusal->exit_code == 0 ? stdout : stderr, "carrack run: %s\n", refusal->text.c_str());
    return refusal->exit_code;
  }
  const SavedJob& started = std::get<SavedJob>(job);
  // A saved job is checked only here, because job_to_run() may have refused it. Its UID, which `spec` lacks, says
  // whether the last commit in its checkpoint folder is its own.
  if (!is_new) problems = find_problems(started.spec);
  if (!problems.empty()) return print({2, "", problems});
  handle_interrupts(count_interrupt);
  const JobStatus status = run_to_end(started, folder, request.trainer, check_model);
  handle_interrupts(end_at_once);
  if (!started.spec.own && output_is_terminal() && holds(status, ConditionType::succeeded))
    print_flushed(draw_history(started.spec));
  return conclude(with_last_commit(status, started.spec, read_folder), started.spec, request,
                  read_folder.other_owner(started.spec));
}

}  // namespace

int run(std::span<char* const> arguments, const ModelCheck& check_model, const CheckFiles& look,
        const ReadFolder& read_folder, const DrawHistory& draw_history) {
  return exit_code_of("run", [&]() -> int {
    auto request = parse_run_request(arguments);
    if (const auto* printed = std::get_if<Printed>(&request)) return print(*printed);
    auto& parsed = std::get<RunRequest>(request);
    const auto loaded = load_job(parsed.manifest, parsed.overrides, parsed.folder, check_model);
    if (const auto* printed = std::get_if<Printed>(&loaded)) return print(*printed);
    set_signal_handlers();
    const auto& job = std::get<LoadedJob>(loaded);
    const auto find_problems = [&](const JobSpec& spec) { return problems_of_files(parsed, spec, job.document, look); };
    return run_job(parsed, job.spec, find_problems, check_model, read_folder, draw_history);
  });
}

}  // namespace carrack::control
