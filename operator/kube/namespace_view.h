// NamespaceView has the jobs of one namespace, or of all namespaces, with their pods, Services and ConfigMaps, and
// keeps them up to date by watches. The key of a job is NAMESPACE/NAME.
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

// Stands for a TrainingJob whose status or metadata cannot be decoded.
struct Unreadable {
  std::string job_uid;
  std::string error;
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
  // Called without a lock, on the watches' threads and in list() and refresh(). They must not be empty, and must not
  // wait for a thread that calls this view.
  struct Callbacks {
    std::function<void(const NamespaceView& view, const std::string& job)> on_change;
    std::function<void(const WatchFailure& failure)> on_failure;
  };

  // The view is empty until list() or start(). An empty `name_space` means all namespaces. `seed` is for random pauses.
  // `credentials` must outlive this.
  NamespaceView(Credentials& credentials, std::string name_space, std::uint32_t seed, Callbacks callbacks);

  // Lists all objects, and blocks until that is done. Then calls on_change for each job. Until it has succeeded, jobs()
  // is empty, and other functions may know only some objects. Returns false if it fails; why_unlisted() then says why.
  bool list();

  // Starts the watches on threads. If list() has not succeeded yet, they first repeat it until it does. Call start()
  // once. The destructor stops the watches and waits for them.
  void start();

  const std::string& name_space() const { return name_space_; }
  // Why the objects have not been listed yet; nullopt once they have.
  std::optional<std::string> why_unlisted() const;
  // One entry for each kind.
  std::vector<WatchSilence> watch_silences() const;
  // The keys of all known jobs.
  std::vector<std::string> jobs() const;
  // True if the job is known, even if it is being deleted.
  bool has(const std::string& job) const;
  // Returns what is known of the job, without the leader's report. If the job does not exist or is being deleted,
  // Snapshot::job is nullopt. Unreadable if its status or metadata cannot be decoded; its status must then not be
  // written. If only its spec cannot be decoded, JobRecord::unknown_in_spec says why.
  std::variant<Snapshot, Unreadable> snapshot(const std::string& job) const;
  // The job's own object; nullopt if it does not exist.
  std::optional<WatchedObject<JobObject>> find_job(const std::string& job) const;
  // Where the newest running start of the job's leader serves its progress; nullopt if none runs, and with strategy
  // Own. The start may have been withdrawn from the Service, since such a leader may still commit.
  std::optional<ProgressSource> progress_source_of(const std::string& job) const;

  using SendRequest = std::function<ApiReply(const ApiRequest&)>;
  // Reads the objects of one job by quorum, with `send`, on the calling thread. Throws Error if that fails.
  void refresh(const SendRequest& send, const std::string& job);

  // Adds to `counts` the number of jobs with each `status.state`.
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
