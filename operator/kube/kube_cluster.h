// KubeCluster implements Cluster (operator/runtime/cluster.h) on Kubernetes, for carrack-operator: jobs are TrainingJob
// objects, and their processes are pods. Watches update its caches of these objects. Several loops may call it at the
// same time, each for its own jobs. Watches, progress, events and actions that are sent at the same time run on threads
// of its own.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dataloader/mutex.h"
#include "operator/api_server/client_pool.h"
#include "operator/kube/events.h"
#include "operator/kube/manifests.h"
#include "operator/kube/namespace_view.h"
#include "operator/runtime/cluster.h"
#include "operator/runtime/progress_poller.h"

namespace carrack::control {

// A request that was made for a loop, for metrics. The requests of watches, and those for events, are not reported.
struct ApiRequestTiming {
  std::string verb;           // verb_of(): list, create, update, patch or delete
  std::string resource;       // resource_of(), such as trainingjobs/status
  std::optional<int> status;  // of the HTTP reply; nullopt if no complete reply came
  std::chrono::duration<double> duration{0};
};

struct KubeSettings {
  std::vector<std::string> namespaces;  // the namespaces whose jobs are handled; empty: all
  PodSettings pods;
  std::uint32_t seed = 0;  // of the random pauses before retries
  // These functions are for metrics and logs. They are called from any thread, several at the same time, and must not
  // be empty.
  std::function<void(const WatchFailure& failure)> on_watch_failure = [](const WatchFailure&) {};
  std::function<void(const ApiRequestTiming& request)> on_request = [](const ApiRequestTiming&) {};
  std::function<void(const std::string& warning)> on_warning = [](const std::string&) {};
  // Called on the thread of put_status() each time the server has stored a status; `after` may equal `before`.
  std::function<void(const JobStatus& before, const JobStatus& after)> on_status = [](const auto&, const auto&) {};
};

class KubeCluster : public Cluster {
 public:
  // Lists all objects, which blocks, and starts the watches. If a namespace cannot be listed, this is tried again
  // later, and observe() throws Error for its jobs until it succeeds. Throws Error with Blame::platform if no namespace
  // can be listed. `credentials` and `clock` must outlive this.
  KubeCluster(Credentials& credentials, const Clock& clock, KubeSettings settings);

  Snapshot observe(const std::string& job, Reading reading) override;
  Reply put_status(const std::string& job, Version read, const JobStatus& status) override;
  Reply apply(const std::string& job, const JobSpec& spec, const Action& action) override;
  // Sends all actions at the same time, each on its own thread and connection, and waits for all replies.
  std::vector<Reply> apply_all(const std::string& job, const JobSpec& spec, std::span<const Action> actions) override;
  void watch(std::function<void(const std::string& job)> wake) override;

  // The functions below may be called from any thread.

  // The number of jobs for each `status.state` that jobs have; "" for jobs without a state.
  std::map<std::string, std::size_t> jobs_by_state() const;

  // How long each watch has received nothing: one entry for each kind in each namespace.
  std::vector<WatchSilence> watch_silences() const;
  // For probes of the operator's health: a message for each namespace that could not be listed yet, and for each watch
  // that has been silent for longer than `silence_max`. Empty if all is well.
  std::vector<std::string> blind_spots(std::chrono::milliseconds silence_max) const;

 private:
  NamespaceView* namespace_view_of(const std::string& job);
  void report_dropped_field(const std::string& job, const std::string& uid, const ApiRequest& sent,
                            const ApiReply& reply);
  void require_readable(const std::string& job, const std::variant<Snapshot, Unreadable>& seen);
  void on_change(const NamespaceView& view, const std::string& job);
  void follow_progress(const NamespaceView& view, const std::string& job);
  void wake(const std::string& job);
  ApiReply send(const ApiRequest& request);
  Reply write(const ApiRequest& request, const std::function<Reply(const ApiReply&)>& read);
  Reply check(const ApiRequest& request, const std::string& child);
  Reply create_network_policy(const std::string& job, const JobSpec& spec, const Action& action);

  const KubeSettings settings_;
  ClientPool clients_;
  std::atomic<bool> has_reported_dropped_field_ = false;  // reported once, since it concerns all jobs
  Mutex unreadable_mutex_;
  // The jobs that cannot be decoded, with the last event that was written about each.
  std::map<std::string, Unreadable> unreadable_ GUARDED_BY(unreadable_mutex_);
  Mutex follow_mutex_;  // locked from reading a view until its progress source is followed
  Mutex wake_mutex_;
  std::function<void(const std::string&)> wake_ GUARDED_BY(wake_mutex_);
  EventWriter events_;
  ProgressPoller progress_;
  std::vector<std::unique_ptr<NamespaceView>> namespace_views_;  // last: their threads use all of the above
};

}  // namespace carrack::control
