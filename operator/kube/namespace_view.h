// The jobs of one namespace, or of all namespaces, with their pods, Services and ConfigMaps, kept up to date by
// watches. Safe for several threads. Callbacks come from the watches' threads, without a lock held; they must not wait
// for a thread that calls this view.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
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

class NamespaceView {
 public:
  struct Callbacks {
    std::function<void(const NamespaceView& view, const std::string& job)> on_change;
    std::function<void(const WatchFailure& failure)> on_failure;
  };

  // Lists all objects; blocks until that is done. Throws Error if it fails. An empty name means all namespaces.
  // `credentials` must outlive this.
  NamespaceView(Credentials& credentials, std::string name_space, std::uint32_t seed, Callbacks callbacks);

  // Starts the watches. Call it once.
  void start_watches();

  const std::string& name_space() const { return name_space_; }
  std::vector<std::string> jobs() const;
  bool has(const std::string& job) const;
  Snapshot snapshot(const std::string& job) const;
  // Why the job cannot be decoded, apart from its spec, if so: the cluster's CRD is of another release. The status of
  // such a job must not be written.
  std::optional<Unreadable> unreadable(const std::string& job) const;
  // nullopt if there is no such job.
  std::optional<WatchedObject<JobObject>> find_job(const std::string& job) const;
  // The newest running start of the job's leader, in the Service or not: one that was withdrawn may still commit.
  std::optional<ProgressSource> progress_source_of(const std::string& job) const;

  using SendRequest = std::function<ApiReply(const ApiRequest&)>;
  // Reads the objects of one job by quorum, on the calling thread. Throws Error if that fails.
  void refresh(const SendRequest& send, const std::string& job);

  std::vector<WatchedObject<JobObject>> all_jobs() const;

 private:
  template <class Value>
  WatchHandlers watch_handlers(View<Value>& view, std::optional<WatchedObject<Value>> (*read)(const nlohmann::json&));
  template <class Value>
  void refresh(const SendRequest& send, Kind kind, const std::string& job, View<Value> NamespaceView::*view,
               std::optional<WatchedObject<Value>> (*read)(const nlohmann::json&));

  const std::string name_space_;
  const Callbacks callbacks_;
  mutable Mutex mutex_;
  View<JobObject> jobs_ GUARDED_BY(mutex_);
  View<PodObject> pods_ GUARDED_BY(mutex_);
  View<SharedObject> services_ GUARDED_BY(mutex_);
  View<SharedObject> configs_ GUARDED_BY(mutex_);
  std::array<std::unique_ptr<Watcher>, kinds> watchers_;
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace carrack::control
