// Reads the state of a job for `carrack explain`, `logs` and `top`: from a cluster, or from the folder of a run on this
// machine. Each call reads it anew. Not safe for several threads.
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
  // Returns the job as it is now, without events. For a job in a cluster it has the job's processes (pods) if this user
  // may list them, for a run on this machine none. Throws Error: Blame::user if the job does not exist (in a cluster
  // NoSuchJob) or cannot be read by this user, Blame::platform if the cluster does not answer.
  virtual JobView view() = 0;
  // Returns view() with the Kubernetes events of the job and its pods; for a run on this machine the same as view().
  virtual JobView view_with_events() = 0;
};

class RunOnThisMachine : public JobSource {
 public:
  // `folder` is that of the run; it is read only in view().
  explicit RunOnThisMachine(std::string folder) : folder_(std::move(folder)) {}
  JobView view() override;
  JobView view_with_events() override { return view(); }

 private:
  const std::string folder_;
  const SystemClock clock_;
};

class ClusterJob : public JobSource {
 public:
  // Finds the cluster by find_access(environment, target.choice), and throws Error as that does. Sends no request yet.
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

// Returns a RunOnThisMachine if target.folder is set, otherwise a ClusterJob, whose constructor may throw Error.
std::unique_ptr<JobSource> open_job(const JobTarget& target, const EnvironmentMap& environment);

}  // namespace carrack::control
