// The API server of the simulated world, and what Kubernetes itself does: garbage collection by owner.
// Everything written here is final; what others see of it, and when, is their View's matter.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "operator/runtime/clock.h"
#include "tests/operator/simulation/store.h"

namespace carrack::simulation {

struct JobObject {
  std::shared_ptr<const control::JobSpec> spec;
  control::JobStatus status;
  std::shared_ptr<const nlohmann::json> stored = nullptr;  // the whole status, in worlds where releases differ
};

struct PodObject {
  control::ObservedProcess shown;
  std::string owner;           // UID of the job
  control::seconds grace{30};  // how long it may take to leave
};

// What a job's processes share: of a Service, a ConfigMap or a Secret nothing else matters here.
struct SharedObject {
  std::string owner;
};

// The one job of most worlds; a second one of the same name may follow it.
inline const std::string job_key = "default/job";

struct Api {
  Store<JobObject> jobs{100};
  Store<PodObject> pods{5000};
  Store<SharedObject> services{1};
  Store<SharedObject> configs{2000};
  Store<SharedObject> keys{1};    // which no operator can see
  control::Instant away_until{};  // it answers nobody before that, unless the faults have ended

  bool has_owner(const std::string& uid) const;
  std::vector<std::string> job_keys{job_key};  // of all jobs that there are, or have been
  // What belongs to no job any more is asked to leave.
  void collect_garbage();
  void change_pod(const std::string& name, const control::ObservedProcess& shown);
};

}  // namespace carrack::simulation
