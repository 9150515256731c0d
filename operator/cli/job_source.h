// Reads the state of a job, from a cluster or from the folder of a run on this machine. Not safe for several threads.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "operator/api_server/credentials.h"
#include "operator/cli/job_target.h"
#include "operator/kube/job_reader.h"
#include "operator/runtime/clock.h"

namespace carrack::control {

class JobSource {
 public:
  virtual ~JobSource() = default;
  // Returns the job as it is now, without events, and with its processes if it is in a cluster. Throws Error:
  // Blame::user if the job does not exist or cannot be used, Blame::platform if the cluster does not answer.
  virtual JobView view() = 0;
  // Returns view() with the events of the job and its processes, which a run on this machine does not have.
  virtual JobView view_with_events() = 0;
};

class RunOnThisMachine : public JobSource {
 public:
  explicit RunOnThisMachine(std::string folder) : folder_(std::move(folder)) {}
  JobView view() override;
  JobView view_with_events() override { return view(); }

 private:
  const std::string folder_;
  const SystemClock clock_;
};

class ClusterJob : public JobSource {
 public:
  // Sends no request yet. Throws Error as find_access() does, which finds the kubeconfig by `environment`.
  ClusterJob(const JobTarget& target, const EnvironmentMap& environment);
  JobView view() override;
  JobView view_with_events() override;

  // Safe for several threads, unlike this object.
  Credentials& credentials() { return credentials_; }
  const JobKey& key() const { return key_; }

 private:
  const SystemClock clock_;
  Credentials credentials_;
  const JobKey key_;
  JobReader reader_;
};

// Returns the source for the target. If the target is in a cluster, throws Error as the constructor of ClusterJob does.
std::unique_ptr<JobSource> open_job(const JobTarget& target, const EnvironmentMap& environment);

}  // namespace carrack::control
