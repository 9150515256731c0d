// The decoded spec of a TrainingJob, as plain data: what the user wrote, with defaults, not validated. The part that
// the trainer works by is its Config.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "operator/core/run_policy.h"
#include "trainer/launch/config.h"

namespace carrack::control {

using Time = std::chrono::sys_seconds;

// The resource requests of a pod, as Kubernetes quantities; empty means the default of its role. Only Kubernetes uses
// them.
struct Requests {
  std::string cpu;
  std::string memory;
  bool operator==(const Requests&) const = default;
};

struct JobSpec {
  std::string name;
  std::string uid;              // assigned by the cluster; a later job of the same name has another
  std::int64_t generation = 0;  // increased by the cluster with every change of the spec
  RunPolicy run;
  Requests ps_requests;      // of each parameter server
  Requests worker_requests;  // of each worker
  train::Config config;
  bool operator==(const JobSpec&) const = default;
};

// Replaces $(NAME) and $(UID) in spec.checkpoint.folder by the job's own, which must be known.
void fill_in_folder(JobSpec& spec);

}  // namespace carrack::control
