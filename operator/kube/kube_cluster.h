// A Kubernetes cluster: jobs are TrainingJob objects, their processes pods. What it shows comes from watches; what it
// does is one request each. One thread decides on it; watches, progress and events have threads of their own.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "operator/kube/events.h"
#include "operator/kube/manifests.h"
#include "operator/kube/namespace_view.h"
#include "operator/runtime/cluster.h"
#include "operator/runtime/progress_poller.h"

namespace carrack::control {

// A request of the thread that decides; lists and watches of all objects have connections of their own.
struct AskedRequest {
  std::string verb;           // list, create, update, patch or delete
  std::string resource;       // pods, trainingjobs/status
  std::optional<int> status;  // nothing where no reply came
  std::chrono::duration<double> took{0};
};

struct KubeSettings {
  std::vector<std::string> namespaces;  // whose jobs are ours; none: all
  PodSettings pods;
  std::uint32_t seed = 0;  // of the pauses before something is tried again
  // For whoever counts and logs; from any thread.
  std::function<void(const WatchFailure& failure)> failed = [](const WatchFailure&) {};
  std::function<void(const AskedRequest& asked)> asked = [](const AskedRequest&) {};
};

class KubeCluster : public Cluster {
 public:
  // Throws Error where the server cannot be asked what there is.
  KubeCluster(Credentials& credentials, const Clock& clock, KubeSettings settings);

  Snapshot observe(const std::string& job, Reading reading) override;
  Reply put_status(const std::string& job, Version read, const JobStatus& status) override;
  Reply apply(const std::string& job, const JobSpec& spec, const Action& action) override;
  void watch(std::function<void(const std::string& job)> wake) override;

  // How many jobs there are of each state, as `status.state` has it. From any thread.
  std::map<std::string, std::size_t> jobs_by_state() const;

 private:
  Territory* territory_of(const std::string& job);
  void expect_readable(const Territory& there, const std::string& job);
  void changed(const Territory& there, const std::string& job);
  void follow(const Territory& there, const std::string& job);
  void wake(const std::string& job);
  ApiReply ask(const ApiRequest& request);
  Reply send(const ApiRequest& request);

  const KubeSettings settings_;
  Client client_;                                  // of the thread that decides
  std::map<std::string, std::string> unreadable_;  // what was said last of which UID
  std::mutex follow_mutex_;                        // what is seen last is what is followed
  std::mutex wake_mutex_;
  std::function<void(const std::string&)> wake_;
  EventWriter events_;
  ProgressPoller progress_;
  std::vector<std::unique_ptr<Territory>> territories_;  // last: their threads use all of the above
};

}  // namespace carrack::control
