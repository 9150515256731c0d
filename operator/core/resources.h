// Checks the resources that a manifest gives the container named trainer, and adds the defaults of each role. Pure.
#pragma once

#include "operator/core/job.h"
#include "operator/core/problems.h"

namespace carrack::control {

inline constexpr const char* nvidia_gpu = "nvidia.com/gpu";

// Adds a problem for each unknown name, invalid quantity and request above its limit, and for each request of a device
// or of huge pages without an equal limit. `field` is the path of the resources, such as
// spec.replicas.worker.resources.
void check_resources(const Resources& resources, const std::string& field, Problems& problems);

// Adds problems for GPUs in a role that runs the trainer: only workers may have them, and each 1, 2, 4, 8 or 16 whole
// GPUs.
void check_gpus(const Resources& resources, train::Role role, const std::string& field, Problems& problems);

// The number of GPUs on which each worker of the trainer computes. 0 for the user's own program.
int gpus_of_worker(const JobSpec& spec);

// Returns the requests and limits of the container of this role: those of the manifest, completed by defaults. As in
// Kubernetes, a limit without a request is also the request. A memory request without a limit is also the limit,
// because a process without a limit would use the memory of the whole node. The coordinator gets the worker's cpu and
// memory by default if it evaluates the model or computes statistics of the data. A role of the user's own program has
// no defaults.
Resources resources_of(const JobSpec& spec, train::Role role);

}  // namespace carrack::control
