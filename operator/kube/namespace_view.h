// The jobs of one namespace, or of all namespaces, with their pods, Services and ConfigMaps, kept up to date by
// watches. Safe for several threads. Callbacks come from the watches' threads, without a lock held; they must not wait
// for a thread that calls this view.
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

// How long a watch has brought neither list nor event nor bookmark.
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

  // Knows nothing at first. An empty name means all namespaces. `credentials` must outlive this.
  NamespaceView(Credentials& credentials, std::string name_space, std::uint32_t seed, Callbacks callbacks);

  // Lists all objects; blocks until that is done. Until then no job is shown. Returns false if it fails, which
  // unlisted() then explains.
  bool list();

  // Starts the watches; if nothing has been listed yet, lists again and again before. Call it once.
  void start();

  const std::string& name_space() const { return name_space_; }
  // Why the objects have not been listed yet; nullopt once they have.
  std::optional<std::string> unlisted() const;
  std::vector<WatchSilence> watch_silences() const;
  std::vector<std::string> jobs() const;
  bool has(const std::string& job) const;
  // Or why the job cannot be decoded, apart from its spec: the cluster's CRD is of another release. The status of such
  // a job must not be written.
  std::variant<Snapshot, Unreadable> snapshot(const std::string& job) const;
  // nullopt if there is no such job.
  std::optional<WatchedObject<JobObject>> find_job(const std::string& job) const;
  // The newest running start of the job's leader, in the Service or not: one that was withdrawn may still commit.
  std::optional<ProgressSource> progress_source_of(const std::string& job) const;

  using SendRequest = std::function<ApiReply(const ApiRequest&)>;
  // Reads the objects of one job by quorum, on the calling thread. Throws Error if that fails.
  void refresh(const SendRequest& send, const std::string& job);

  // Adds the number of jobs with each `status.state`.
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
