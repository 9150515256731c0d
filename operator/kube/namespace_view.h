// All jobs of one namespace, or of all, with their processes, Services and ConfigMaps, as watches keep them known.
// Safe from any thread; nothing that it calls back may wait for whoever calls it.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "operator/kube/view.h"
#include "operator/kube/watcher.h"
#include "operator/runtime/progress_reader.h"

namespace carrack::control {

struct Unreadable {
  std::string job_uid;
  std::string why;
};

class Territory {
 public:
  struct Callbacks {
    std::function<void(const Territory& here, const std::string& job)> changed;
    std::function<void(const WatchFailure& failure)> failed;
  };

  // Lists everything; throws Error where that cannot be had.
  Territory(Credentials& credentials, std::string name_space, std::uint32_t seed, Callbacks callbacks);

  // From now on it keeps up with what happens.
  void follow();

  const std::string& name_space() const { return name_space_; }
  std::vector<std::string> jobs() const;
  bool has(const std::string& job) const;
  Snapshot snapshot(const std::string& job) const;
  // Nothing, or why what the server has of this job is not understood: its definition is another release's. What is not
  // understood is not written either: a status that we write would lack what that release keeps in it.
  std::optional<Unreadable> unreadable(const std::string& job) const;
  // The newest start of the job's leader that runs, in the Service or not: one that was withdrawn may commit yet.
  std::optional<Teller> teller_of(const std::string& job) const;

  using Ask = std::function<ApiReply(const ApiRequest&)>;
  // Asks for the objects of one job now; throws Error where there is no answer.
  void refresh(const Ask& ask, const std::string& job);

  std::vector<Seen<SeenJob>> all_jobs() const;

 private:
  template <class Value>
  Sight sight(View<Value>& view, std::optional<Seen<Value>> (*read)(const nlohmann::json&));
  template <class Value>
  void refresh(const Ask& ask, Kind kind, const std::string& job, View<Value>& view,
               std::optional<Seen<Value>> (*read)(const nlohmann::json&));

  const std::string name_space_;
  const Callbacks callbacks_;
  mutable std::mutex mutex_;  // of the views
  View<SeenJob> jobs_;
  View<SeenProcess> processes_;
  View<SeenShared> services_;
  View<SeenShared> configs_;
  std::array<std::unique_ptr<Watcher>, kinds> watchers_;
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace carrack::control
