#include "operator/cli/operate.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <condition_variable>
#include <optional>
#include <thread>

#include "operator/cli/signals.h"
#include "operator/error.h"
#include "operator/kube/calls.h"
#include "operator/kube/kube_cluster.h"
#include "operator/runtime/loop.h"
#include "operator/web/metrics.h"
#include "operator/web/server.h"

namespace carrack::control {
namespace {

constexpr auto begin_again_after = std::chrono::seconds(2);
// A look is a request for each pod that is created, one after the other; each ends by itself within minutes.
constexpr auto longest_look = std::chrono::minutes(10);

std::string_view text_of(Look::Result result) {
  switch (result) {
    case Look::Result::rests:
      return "rests";
    case Look::Result::waits_for_watches:
      return "waits_for_watches";
    case Look::Result::acted:
      return "acted";
    case Look::Result::not_done:
      return "not_done";
    case Look::Result::parked:
      return "parked";
    case Look::Result::cluster_failed:
      return "cluster_failed";
  }
  return "";
}

// One run of the operator: its parts, each of which tells the others through values and calls alone.
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
        server_(options.listen, {.metrics = [this] { return page(); },
                                 .not_healthy = [this] { return not_healthy(); },
                                 .not_ready = [this] { return not_ready(); }}) {}

  // Until it is asked to stop; throws Error where what it knows is no longer so.
  void run() {
    spdlog::info("carrack-operator {}, API server {}", CARRACK_VERSION, credentials_.access().server);
    const std::unique_ptr<KubeCluster> cluster = begin(stop_.get_token());
    if (!cluster) return;
    Loop loop(
        *cluster, clock_,
        [this](const JobSpec& job, const JobStatus& status, const Observed& observed, Time now) {
          return reconcile(job, status, observed, now, check_model_);
        },
        [this](const Look& look) { looked(look); });
    cluster->watch([&loop](const std::string& job) { loop.wake(job); });
    set(cluster.get(), &loop);
    spdlog::info("ready");
    loop.run(stop_.get_token());
    set(nullptr, nullptr);
    cluster->watch([](const std::string&) {});  // It outlives the loop.
    if (restored_) throw Error(Blame::platform, "ends, so that the next one begins with what there is now");
    spdlog::info("stopped");
  }

 private:
  // What there is, however long the API server, or the definition of TrainingJobs, takes to be there.
  std::unique_ptr<KubeCluster> begin(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any woken;
    while (!stop.stop_requested()) {
      try {
        return std::make_unique<KubeCluster>(
            credentials_, clock_,
            KubeSettings{.namespaces = options_.namespaces,
                         .pods = options_.pods,
                         .seed = seed_,
                         .failed = [this](const WatchFailure& failure) { watch_failed(failure); },
                         .asked = [this](const AskedRequest& asked) { count(asked); }});
      } catch (const Error& failure) {
        spdlog::warn("cannot begin: {}", failure.what());
      }
      std::unique_lock lock(mutex);
      woken.wait_for(lock, stop, begin_again_after, [] { return false; });
    }
    return nullptr;
  }

  void looked(const Look& look) {
    metrics_.count_reconcile(std::string(text_of(look.result)), look.took);
    metrics_.set_queue_depth(look.queued);
    if (!look.why.empty()) spdlog::warn("{}: {}: {}", look.job, text_of(look.result), look.why);
  }

  void watch_failed(const WatchFailure& failure) {
    metrics_.count_watch_restart(std::string(plural_of(failure.kind)), failure.reason);
    spdlog::warn("{}: {}", plural_of(failure.kind), failure.why);
    if (failure.reason != "Restored") return;
    restored_ = true;
    stop_.request_stop();
  }

  void count(const AskedRequest& asked) {
    metrics_.count_api_request({asked.verb, asked.resource, asked.status}, asked.took);
  }

  void set(const KubeCluster* cluster, const Loop* loop) {
    const std::lock_guard lock(mutex_);
    cluster_ = cluster;
    loop_ = loop;
  }

  std::string page() {
    {
      const std::lock_guard lock(mutex_);
      if (cluster_) metrics_.set_jobs(cluster_->jobs_by_state());
    }
    return metrics_.text();
  }

  std::optional<std::string> not_healthy() {
    const std::lock_guard lock(mutex_);
    const std::optional<Moment> since = loop_ ? loop_->looks_since() : std::nullopt;
    if (!since || clock_.now() - *since < longest_look) return std::nullopt;
    const auto lasted = std::chrono::duration_cast<std::chrono::seconds>(clock_.now() - *since);
    return "one look at a job has lasted for " + std::to_string(lasted.count()) + " s";
  }

  std::optional<std::string> not_ready() {
    const std::lock_guard lock(mutex_);
    return loop_ ? std::nullopt : std::optional<std::string>("what there is has not been listed yet");
  }

  const OperatorOptions& options_;
  const std::uint32_t seed_;
  std::stop_source stop_;
  std::atomic<bool> restored_ = false;
  const ModelCheck& check_model_;
  const SystemClock clock_;
  Metrics metrics_;
  Credentials credentials_;
  std::mutex mutex_;  // of both
  const KubeCluster* cluster_ = nullptr;
  const Loop* loop_ = nullptr;
  Server server_;  // last: it asks all of the above
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
    spdlog::error("{}", error.what());
    return 1;
  }
}

}  // namespace carrack::control
