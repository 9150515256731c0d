// The jobs of one namespace, or of all namespaces, with their pods, Services and ConfigMaps, kept up to date by
// watches. Jobs are named namespace/name. Safe for several threads. Callbacks are called without a lock, on the
// watches' threads or in list(); they must not wait for a thread that calls this view.
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

// A TrainingJob whose status or metadata cannot be decoded.
struct Unreadable {
  std::string job_uid;
  std::string error;
  bool operator==(const Unreadable&) const = default;
};

// How long a watch has delivered no list, event or bookmark.
struct WatchSilence {
  Kind kind = Kind::job;
  std::string name_space;  // empty: all
  std::chrono::milliseconds lasting{0};
};

class NamespaceView {
 public:
  struct Callbacks {
    std::function<void(const NamespaceView& view, const std::string& job)> on_change;
    std::function<void(const WatchFailure& failure)> on_failure;
  };

  // The view is empty until list() or start(). An empty `name_space` means all namespaces. `seed` is for random pauses.
  // `credentials` must outlive this.
  NamespaceView(Credentials& credentials, std::string name_space, std::uint32_t seed, Callbacks callbacks);

  // Lists all objects, and blocks until that is done. Until then the view shows no job. Returns false if it fails;
  // why_unlisted() then says why.
  bool list();

  // Starts the watches on a thread. If list() has not succeeded yet, first repeats it until it does. Call start() once.
  void start();

  const std::string& name_space() const { return name_space_; }
  // Why the objects have not been listed yet; nullopt once they have.
  std::optional<std::string> why_unlisted() const;
  std::vector<WatchSilence> watch_silences() const;
  std::vector<std::string> jobs() const;
  bool has(const std::string& job) const;
  // What is known of the job. Unreadable if its status or metadata cannot be decoded because the cluster's CRD is of
  // another release; its status must then not be written. A spec that cannot be decoded gives
  // JobRecord::unknown_in_spec instead.
  std::variant<Snapshot, Unreadable> snapshot(const std::string& job) const;
  // The job's own object; nullopt if it does not exist.
  std::optional<WatchedObject<JobObject>> find_job(const std::string& job) const;
  // Where the newest running start of the job's leader serves its progress; nullopt if none runs. It may be withdrawn
  // from the Service, since such a leader may still commit.
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
