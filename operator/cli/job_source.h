// Where a job is looked at: in a cluster, or in the folder of a run on this machine.
#pragma once

#include <memory>

#include "operator/api_server/access.h"
#include "operator/cli/job_target.h"

namespace carrack::control {

class JobSource {
 public:
  virtual ~JobSource() = default;
  // The job and its processes now. Throws Error (user) if there is no such job.
  virtual JobView view() = 0;
  // The same with the events of the job and its processes.
  virtual JobView view_with_events() = 0;
};

// Throws Error (user) if the target is in a cluster and there is no access to it. `environment` names the kubeconfig.
std::unique_ptr<JobSource> open_job(const JobTarget& target, const EnvironmentMap& environment);

}  // namespace carrack::control
