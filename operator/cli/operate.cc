#include "operator/cli/operate.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "dataloader/http/page_server.h"
#include "dataloader/mutex.h"
#include "operator/cli/signals.h"
#include "operator/core/pod_paths.h"
#include "operator/core/printable.h"
#include "operator/error.h"
#include "operator/kube/calls.h"
#include "operator/kube/kube_cluster.h"
#include "operator/runtime/loops.h"
#include "operator/web/metrics.h"

namespace carrack::control {
namespace {

// The number of threads that handle jobs, each of them one job at a time. There may be more threads than CPUs, because
// they mostly wait for the API server.
constexpr std::size_t loop_count = 16;
constexpr auto start_retry_interval = std::chrono::seconds(2);
// If a pass (one decision on a job, with its actions) lasts longer, the operator hangs, and /healthz says so. A pass
// makes one request for each pod that it creates, up to 16 at the same time, and each request ends within minutes.
constexpr auto pass_time_max = std::chrono::minutes(10);
// If a watch is silent for longer, it is broken, and /readyz says so. The API server sends at least a bookmark each
// minute, and the operator's client ends a stream that is idle for 75 s.
constexpr auto watch_silence_max = std::chrono::seconds(90);

// Returns the name of a result in metrics and logs.
std::string name_of(Pass::Result result) {
  switch (result) {
    case Pass::Result::rests:
      return "rests";
    case Pass::Result::waits_for_watches:
      return "waits_for_watches";
    case Pass::Result::acted:
      return "acted";
    case Pass::Result::refused:
      return "refused";
    case Pass::Result::not_done:
      return "not_done";
    case Pass::Result::parked:
      return "parked";
    case Pass::Result::cluster_failed:
      return "cluster_failed";
  }
  return "";
}

// Decides about a job by reconcile(). Its check of the model also checks that paths are on volumes, because processes
// in pods see no other files.
Decision decide(const JobSpec& job, const JobStatus& status, const Observed& observed, Time now,
                const ModelCheck& check_model) {
  return reconcile(job, status, observed, now, [&](const train::Config& config) {
    std::vector<Problem> problems = check_model(config);
    const std::vector<Problem> paths = paths_on_no_volume(job);
    problems.insert(problems.end(), paths.begin(), paths.end());
    return problems;
  });
}

data::PageServer serve(const std::string& address, data::Pages pages) {
  try {
    return data::PageServer(address, std::move(pages));
  } catch (const data::Refused& refused) {
    throw Error(Blame::user, "cannot listen on " + address + ": " + refused.what() + "; give another address or port");
  }
}

std::vector<Metrics::WatchAge> watch_ages(const KubeCluster& cluster) {
  std::vector<Metrics::WatchAge> ages;
  for (const WatchSilence& watch : cluster.watch_silences()) {
    ages.push_back({std::string(plural_of(watch.kind)), watch.name_space, watch.lasting});
  }
  return ages;
}

// Returns the answer to a Kubernetes probe: "ok", or the problem with status 503.
data::Page probe_page(const std::optional<std::string>& problem) {
  return problem ? data::Page{.status = 503, .body = *problem + "\n"} : data::Page{.body = "ok\n"};
}

// The parts of the operator, and how they are connected.
class Operator {
 public:
  Operator(const OperatorOptions& options, const EnvironmentMap& environment, std::uint32_t seed,
           const ModelCheck& check_model, std::stop_source stop)
      : options_(options),
        seed_(seed),
        stop_(std::move(stop)),
        check_model_(check_model),
        metrics_(CARRACK_VERSION, clock_.now()),
        credentials_(find_access(environment), environment, clock_),
        metrics_server_(serve(
            options.listen,
            {{"/metrics",
              [this] { return data::Page{.body = metrics_text(), .content_type = std::string(exposition_type)}; }}})),
        probe_server_(serve(options.probes, {{"/healthz", [this] { return probe_page(health_problem()); }},
                                             {"/readyz", [this] { return probe_page(readiness_problem()); }}})) {}

  // Runs until a stop is requested. Throws Error if the API server was restored to an older state.
  void run() {
    spdlog::info("carrack-operator {}, API server {}", CARRACK_VERSION, printable_line(credentials_.access().server));
    const std::unique_ptr<KubeCluster> cluster = connect(stop_.get_token());
    if (!cluster) return;
    Loops loops(
        loop_count, *cluster, clock_,
        [this](const JobSpec& job, const JobStatus& status, const Observed& observed, Time now) {
          return decide(job, status, observed, now, check_model_);
        },
        [this](const Pass& pass) { on_pass(pass); });
    cluster->watch([&loops](const std::string& job) { loops.wake(job); });
    set_parts(cluster.get(), &loops);
    spdlog::info("ready");
    loops.run(stop_.get_token());
    set_parts(nullptr, nullptr);
    cluster->watch([](const std::string&) {});  // The cluster outlives `loops`, so it must not call them any more.
    if (restored_) throw Error(Blame::platform, "exits, so that the next operator begins with the current state");
    spdlog::info("stopped");
  }

 private:
  // Tries until the API server answers and knows TrainingJobs. Returns nullptr once `stop` is requested.
  std::unique_ptr<KubeCluster> connect(const std::stop_token& stop) {
    // Only a condition_variable_any accepts a stop_token, by which a stop ends the wait between two tries immediately.
    std::mutex mutex;
    std::condition_variable_any woken;
    while (!stop.stop_requested()) {
      try {
        return std::make_unique<KubeCluster>(
            credentials_, clock_,
            KubeSettings{
                .namespaces = options_.namespaces,
                .pods = options_.pods,
                .seed = seed_,
                .on_watch_failure = [this](const WatchFailure& failure) { on_watch_failure(failure); },
                .on_request =
                    [this](const ApiRequestTiming& request) {
                      metrics_.count_api_request(request.verb, request.resource, request.status, request.duration);
                    },
                .on_warning = [](const std::string& warning) { spdlog::warn("{}", printable_line(warning)); },
                .on_status = [this](const JobStatus& before, const JobStatus& after) { on_status(before, after); }});
      } catch (const Error& failure) {
        spdlog::warn("cannot start yet: {}", printable_line(failure.what()));
      }
      std::unique_lock lock(mutex);
      woken.wait_for(lock, stop, start_retry_interval, [] { return false; });
    }
    return nullptr;
  }

  void on_pass(const Pass& pass) {
    const std::string result = name_of(pass.result);
    metrics_.count_reconcile(result, pass.duration);
    if (pass.error.empty()) return;
    spdlog::warn("{}: {}: {}", printable_line(pass.job), result, printable_line(pass.error));
  }

  void on_status(const JobStatus& before, const JobStatus& after) {
    // A user may have written smaller numbers into the status, but a counter of the metrics must never decrease.
    metrics_.count_losses({.restarts = std::max(0, after.restarts - before.restarts),
                           .disruptions = std::max(0, after.disruptions - before.disruptions),
                           .steps = std::max<std::int64_t>(0, after.lost_steps - before.lost_steps)});
  }

  void on_watch_failure(const WatchFailure& failure) {
    metrics_.count_watch_restart(std::string(plural_of(failure.kind)), failure.reason);
    const std::string place = failure.name_space.empty() ? "" : " in namespace " + failure.name_space;
    spdlog::warn("{}{}: {}", plural_of(failure.kind), place, printable_line(failure.error));
    if (failure.reason != "Restored") return;
    // The API server was restored to an older state, so what this process knows is wrong. run() ends with an error.
    restored_ = true;
    stop_.request_stop();
  }

  // Sets the objects that the pages of the servers read; nullptr while they do not exist.
  void set_parts(const KubeCluster* cluster, const Loops* loops) {
    const MutexLock lock(mutex_);
    cluster_ = cluster;
    loops_ = loops;
  }

  std::string metrics_text() {
    {
      const MutexLock lock(mutex_);
      if (cluster_) metrics_.set_jobs(cluster_->jobs_by_state());
      if (cluster_) metrics_.set_watch_ages(watch_ages(*cluster_));
      if (loops_) metrics_.set_queue_depth(loops_->waiting());
    }
    return metrics_.text();
  }

  std::optional<std::string> health_problem() {
    const MutexLock lock(mutex_);
    const std::optional<Instant> since = loops_ ? loops_->pass_started_at() : std::nullopt;
    if (!since || clock_.steady_now() - *since < pass_time_max) return std::nullopt;
    const auto lasted = std::chrono::duration_cast<std::chrono::seconds>(clock_.steady_now() - *since);
    return "one pass over a job has lasted for " + std::to_string(lasted.count()) + " s";
  }

  std::optional<std::string> readiness_problem() {
    const MutexLock lock(mutex_);
    if (!cluster_) return "the objects of the cluster have not been listed yet";
    std::string problems;
    for (const std::string& line : cluster_->blind_spots(watch_silence_max)) {
      problems += (problems.empty() ? "" : "\n") + printable_line(line);
    }
    return problems.empty() ? std::nullopt : std::optional(problems);
  }

  const OperatorOptions& options_;
  const std::uint32_t seed_;
  std::stop_source stop_;
  std::atomic<bool> restored_ = false;
  const ModelCheck& check_model_;
  const SystemClock clock_;
  Metrics metrics_;
  Credentials credentials_;
  Mutex mutex_;
  const KubeCluster* cluster_ GUARDED_BY(mutex_) = nullptr;  // nullptr unless the loops run
  const Loops* loops_ GUARDED_BY(mutex_) = nullptr;
  // The servers are last, so that they end before the members that their pages read. Metrics have a server of their
  // own, so that a slow answer cannot delay a probe.
  data::PageServer metrics_server_;
  data::PageServer probe_server_;
};

}  // namespace

int operate(const OperatorOptions& options, const EnvironmentMap& environment, std::uint32_t seed,
            const ModelCheck& check_model) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt("operator"));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
  const Signals signals;
  try {
    Operator(options, environment, seed, check_model, signals.stop()).run();
    return 0;
  } catch (const std::exception& error) {
    spdlog::error("{}", printable_line(error.what()));
    return 1;
  }
}

}  // namespace carrack::control
