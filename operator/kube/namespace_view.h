// NamespaceView is the operator's cache of one namespace, or of all namespaces, like the informers of client-go: it has
// the TrainingJobs and their pods, Services and ConfigMaps, and watches update it. KubeCluster uses it. In all
// functions `job` is NAMESPACE/NAME.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "dataloader/mutex.h"
#include "operator/kube/view.h"
#include "operator/kube/watcher.h"
#include "operator/runtime/progress_reader.h"

namespace carrack::control {

// The result of snapshot() for a TrainingJob whose status or metadata cannot be decoded.
struct Unreadable {
  std::string job_uid;
  std::string error;  // a message for the user
  bool operator==(const Unreadable&) const = default;
};

// The time for which a watch has delivered no list, event or bookmark.
struct WatchSilence {
  Kind kind = Kind::job;
  std::string name_space;  // empty: all
  std::chrono::milliseconds lasting{0};
};

// Thread-safe.
class NamespaceView {
 public:
  // on_change is called for each job that has changed, on the watches' threads and in list(). on_failure is also called
  // in refresh(). They are called without a lock, so they may call this view. They must not be empty, and must not wait
  // for a thread that calls this view.
  struct Callbacks {
    std::function<void(const NamespaceView& view, const std::string& job)> on_change;
    std::function<void(const WatchFailure& failure)> on_failure;
  };

  // The view is empty until list() or start(). An empty `name_space` means all namespaces. `seed` is for random pauses.
  // `credentials` must outlive this.
  NamespaceView(Credentials& credentials, std::string name_space, std::uint32_t seed, Callbacks callbacks);

  // Lists all objects, which blocks, and then calls on_change for each job. Returns false if that fails; why_unlisted()
  // then says why. Until a call has succeeded, jobs() is empty, and other functions may know only some objects.
  bool list();

  // Starts the watches on threads, and returns. If list() has not succeeded yet, a thread first repeats it until it
  // does. Call start() once. The destructor stops the watches and waits for them.
  void start();

  const std::string& name_space() const { return name_space_; }
  // Says why list() has not succeeded yet; nullopt once it has.
  std::optional<std::string> why_unlisted() const;
  // One entry for each kind.
  std::vector<WatchSilence> watch_silences() const;
  // The keys of all known jobs.
  std::vector<std::string> jobs() const;
  // True if the job is known, even if it is being deleted.
  bool has(const std::string& job) const;
  // Returns a copy of what is cached about the job. It has only pods, Service and ConfigMap that the job owns, and no
  // report of the leader.
  // - If the job does not exist or is being deleted, Snapshot::job is nullopt.
  // - If its status or metadata cannot be decoded, the result is Unreadable. The caller must then not write its status.
  // - If only its spec cannot be decoded, JobRecord::unknown_in_spec says why.
  std::variant<Snapshot, Unreadable> snapshot(const std::string& job) const;
  // Returns a copy of the TrainingJob object, even if it is being deleted or cannot be decoded; nullopt if it does not
  // exist.
  std::optional<WatchedObject<JobObject>> find_job(const std::string& job) const;
  // Returns the address at which the newest running pod of the job's leader serves its progress; nullopt if none runs,
  // and with strategy Own. The pod may have been withdrawn from the Service, since such a leader may still commit.
  std::optional<ProgressSource> progress_source_of(const std::string& job) const;

  using SendRequest = std::function<ApiReply(const ApiRequest&)>;
  // Reads the objects of one job from the server, by quorum, and updates the cache. Blocks; sends the requests with
  // `send` on the calling thread. Throws Error if that fails. Does not call on_change.
  void refresh(const SendRequest& send, const std::string& job);

  // Adds to `counts` the number of jobs with each `status.state`, such as Running; "" for jobs without a state.
  void count_states(std::map<std::string, std::size_t>& counts) const;

 private:
  template <class Value>
  WatchHandlers watch_handlers(View<Value>& view, std::optional<WatchedObject<Value>> (*read)(const nlohmann::json&));
  template <class Value>
  void refresh(const SendRequest& send, Kind kind, const std::string& job, View<Value> NamespaceView::*view,
               std::optional<WatchedObject<Value>> (*read)(const nlohmann::json&));

  void run(const std::stop_token& stop);

  const std::string name_space_;
  const Callbacks callbacks_;
  mutable Mutex mutex_;
  View<JobObject> jobs_ GUARDED_BY(mutex_);
  View<PodObject> pods_ GUARDED_BY(mutex_);
  View<SharedObject> services_ GUARDED_BY(mutex_);
  View<SharedObject> configs_ GUARDED_BY(mutex_);
  std::optional<std::string> unlisted_ GUARDED_BY(mutex_) = "not listed yet";
  std::array<std::unique_ptr<Watcher>, kinds> watchers_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace carrack::control
