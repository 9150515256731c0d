#include "operator/cli/cluster_logs.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "operator/core/member_words.h"
#include "operator/core/printable.h"
#include "operator/error.h"
#include "operator/explain/member_rows.h"
#include "operator/kube/job_reader.h"
#include "operator/kube/pod_log.h"

namespace carrack::control {
namespace {

constexpr auto poll_interval = std::chrono::seconds(1);
constexpr std::size_t followed_max = 100;  // the maximum number of logs; each has a thread and a connection

bool is_over(const JobView& view) {
  return is_finished(view.status) || holds(view.status, ConditionType::suspended) || view.is_being_deleted;
}

std::string end_of(const JobSpec& spec, const ObservedProcess& process) {
  return process.name + " ended: " + exit_phrase(spec, process) +
         (process.message.empty() ? "" : ": " + process.message);
}

// Returns the processes of the chosen members, ordered by member and then by start (fence).
std::vector<ObservedProcess> chosen_processes(const JobView& view, const LogChoice& choice) {
  std::vector<ObservedProcess> chosen;
  std::ranges::copy_if(view.processes, std::back_inserter(chosen),
                       [&](const ObservedProcess& process) { return choice.has(process.member); });
  std::ranges::sort(chosen, {},
                    [](const ObservedProcess& process) { return std::pair(process.member, process.fence); });
  return chosen;
}

// Prints the last failure from the status, because the pod that failed may be gone.
void print_last_failure(const JobView& view, LogPrinter& printer) {
  const std::optional<LastFailure>& failure = view.status.last_failure;
  if (failure) printer.note(view.spec.name, "last failure: " + failure_phrase(view.spec, *failure, view.now));
}

// Prints why no log can be printed. Returns the exit code of the command.
int say_why_no_logs(const JobView& view) {
  const std::string why = view.has_processes || view.gaps.empty() ? "no member has a pod" : view.gaps.back();
  std::fprintf(stderr, "carrack logs: %s\n", printable(why).c_str());
  return 1;
}

// Prints the logs of the chosen members as they are now. Returns the exit code of the command.
int print_once(ClusterJob& job, const LogChoice& choice, LogPrinter& printer) {
  const JobView view = job.view();
  const std::vector<ObservedProcess> processes = chosen_processes(view, choice);
  print_last_failure(view, printer);
  if (processes.empty()) return say_why_no_logs(view);
  bool is_complete = true;
  for (const ObservedProcess& process : processes) {
    const std::string name = member_name(process.member);
    const bool is_newest = newest_process(view, process.member)->name == process.name;
    if (process.state == ProcessState::pending) {
      printer.note(name, process.name + " is pending" + (process.message.empty() ? "" : ": " + process.message));
    } else if (is_newest) {
      PodLog log(job.credentials(), {job.key().name_space, process.name});
      const std::string failure = log.read(false, choice.tail, [&](auto line) { printer.line(name, line); }, {});
      if (!failure.empty()) printer.note(name, process.name + ": its log cannot be read: " + failure);
      is_complete = is_complete && failure.empty();
    }
    if (process.state == ProcessState::exited) printer.note(name, end_of(view.spec, process));
    if (printer.is_closed()) return 1;
  }
  return is_complete ? 0 : 1;
}

// Prints the log of one pod as it grows, on a thread of its own, until the pod has ended. When a connection breaks, it
// connects again and continues.
class Follower {
 public:
  Follower(ClusterJob& job, const ObservedProcess& process, std::optional<int> tail, LogPrinter& printer)
      : process_(process),
        log_(job.credentials(), {job.key().name_space, process.name}),
        thread_([this, tail, &printer](const std::stop_token& stop) { follow(tail, printer, stop); }) {}

  const ObservedProcess& process() const { return process_; }
  // Call this once the pod is gone or its container has ended. The thread then reads the rest of the log and ends.
  void pod_has_ended() { has_ended_ = true; }
  bool is_done() const { return is_done_; }

 private:
  void follow(std::optional<int> tail, LogPrinter& printer, const std::stop_token& stop) {
    const std::string name = member_name(process_.member);
    std::string last_failure;
    while (!stop.stop_requested()) {
      const bool is_last = has_ended_;
      const std::string failure = log_.read(
          true, tail, [&](auto line) { printer.line(name, line); }, stop);
      if (!failure.empty() && failure != last_failure)
        printer.note(name, process_.name + ": its log breaks off: " + failure);
      last_failure = failure;
      if (is_last) break;
      std::this_thread::sleep_for(poll_interval);
    }
    is_done_ = true;
  }

  const ObservedProcess process_;
  std::atomic<bool> has_ended_ = false, is_done_ = false;
  PodLog log_;
  std::jthread thread_;  // the last member, because the thread starts at once and uses all members above
};

// The followers of all pods of the chosen members.
class Followers {
 public:
  Followers(ClusterJob& job, const LogChoice& choice, LogPrinter& printer)
      : job_(job), choice_(choice), printer_(printer) {}

  // Begins to follow the logs of pods that have begun to run, and removes followers that have printed all of a log.
  void update(const JobView& view) {
    const std::vector<ObservedProcess> processes = chosen_processes(view, choice_);
    for (auto& [name, follower] : followers_) {
      if (!follower) continue;
      const auto seen = std::ranges::find(processes, name, &ObservedProcess::name);
      const bool has_ended = seen == processes.end() || seen->state == ProcessState::exited;
      if (has_ended) follower->pod_has_ended();
      if (!follower->is_done()) continue;
      printer_.note(member_name(follower->process().member),
                    seen == processes.end() ? name + " is gone" : end_of(view.spec, *seen));
      follower.reset();
    }
    for (const ObservedProcess& process : processes) {
      const bool is_new = !followers_.contains(process.name) && process.state != ProcessState::pending;
      if (is_new) begin(view, process);
    }
    is_first_ = false;
  }

  bool all_are_done() const {
    return std::ranges::all_of(followers_, [](const auto& one) { return !one.second; });
  }

 private:
  // Begins to follow a pod. If the pod was replaced before the command began, only prints how it ended.
  void begin(const JobView& view, const ObservedProcess& process) {
    const bool is_newest = newest_process(view, process.member)->name == process.name;
    if (is_first_ && !is_newest && process.state == ProcessState::exited) {
      followers_[process.name] = nullptr;
      return printer_.note(member_name(process.member), end_of(view.spec, process));
    }
    const auto followed = std::ranges::count_if(followers_, [](const auto& one) { return one.second != nullptr; });
    if (static_cast<std::size_t>(followed) >= followed_max) {
      throw Error(Blame::user,
                  "has more than " + std::to_string(followed_max) + " logs to follow; choose some with --member");
    }
    if (!is_first_) printer_.note(member_name(process.member), process.name + " runs");
    followers_[process.name] =
        std::make_unique<Follower>(job_, process, is_first_ ? choice_.tail : std::nullopt, printer_);
  }

  ClusterJob& job_;
  const LogChoice& choice_;
  LogPrinter& printer_;
  bool is_first_ = true;
  std::map<std::string, std::unique_ptr<Follower>> followers_;  // by pod name; nullptr: its log was printed
};

// Returns the job as it is now. If it does not exist any more, returns `before`, which was read earlier, as a job that
// is being deleted and has no pods. `before` is nullopt if nothing was read yet.
JobView view_after(ClusterJob& job, const std::optional<JobView>& before) {
  try {
    return job.view();
  } catch (const NoSuchJob&) {
    if (!before) throw;
    JobView deleted = *before;
    deleted.is_being_deleted = true;
    deleted.processes.clear();
    return deleted;
  }
}

// Prints the logs of the chosen members as they grow, until the job is over. Returns the exit code of the command.
int follow(ClusterJob& job, const LogChoice& choice, LogPrinter& printer) {
  Followers followers(job, choice, printer);
  std::string last_failure;
  std::optional<JobView> before;
  while (!printer.is_closed()) {
    try {
      JobView view = view_after(job, before);
      if (!before && !view.has_processes) return say_why_no_logs(view);
      // Otherwise the followers would end, as if all pods were gone.
      if (!view.has_processes) throw Error(Blame::platform, view.gaps.back());
      if (!before) print_last_failure(view, printer);
      followers.update(view);
      if (is_over(view) && followers.all_are_done()) return 0;
      before = std::move(view);
    } catch (const Error& error) {
      if (!before || error.blame() == Blame::user) throw;
      if (last_failure != error.what())
        std::fprintf(stderr, "carrack logs: %s; tries again\n", printable(error.what()).c_str());
      last_failure = error.what();
    }
    std::this_thread::sleep_for(poll_interval);
  }
  return 1;
}

}  // namespace

int print_logs_in_cluster(ClusterJob& job, const LogChoice& choice, LogPrinter& printer) {
  return choice.follow ? follow(job, choice, printer) : print_once(job, choice, printer);
}

}  // namespace carrack::control
