// A Kubernetes cluster: jobs are TrainingJob objects, their processes pods. What it shows comes from watches; what it
// does is one request each. One thread decides on it; watches, progress and events have threads of their own.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "operator/kube/events.h"
#include "operator/kube/manifests.h"
#include "operator/kube/progress_poller.h"
#include "operator/kube/territory.h"
#include "operator/runtime/cluster.h"

namespace carrack::control {

struct KubeSettings {
  std::vector<std::string> namespaces;  // whose jobs are ours; none: all
  PodSettings pods;
  std::function<void(const std::string& what)> log;  // what goes wrong and is tried again; from any thread
};

class KubeCluster : public Cluster {
 public:
  // Throws Error where the server cannot be asked what there is.
  KubeCluster(Credentials& credentials, KubeSettings settings);

  Snapshot observe(const std::string& job, Reading reading) override;
  Reply put_status(const std::string& job, Version read, const JobStatus& status) override;
  Reply apply(const std::string& job, const JobSpec& spec, const Action& action) override;
  void watch(std::function<void(const std::string& job)> wake) override;

 private:
  Territory* territory_of(const std::string& job);
  void changed(const std::string& job);
  void wake(const std::string& job);
  Reply send(const ApiRequest& request);

  const KubeSettings settings_;
  Client client_;  // of the thread that decides
  std::mutex wake_mutex_;
  std::function<void(const std::string&)> wake_;
  EventWriter events_;
  ProgressPoller progress_;
  std::vector<std::unique_ptr<Territory>> territories_;  // last: their threads use all of the above
};

}  // namespace carrack::control
