// The resources of the container named trainer: checks of what a manifest says of them, and the defaults of each role.
// Pure.
#pragma once

#include "operator/core/job.h"
#include "operator/core/problems.h"

namespace carrack::control {

inline constexpr const char* nvidia_gpu = "nvidia.com/gpu";

// Adds the problems of names and quantities, and of requests above their limits. `field` is the path of the resources,
// such as spec.replicas.worker.resources.
void check_resources(const Resources& resources, const std::string& field, Problems& problems);

// Adds the problems of GPUs in a role that runs the trainer: only a worker may have one, and only one whole GPU.
void check_gpus(const Resources& resources, train::Role role, const std::string& field, Problems& problems);

// The number of GPUs on which each worker of the trainer computes, 0 or 1. 0 for the user's own program.
int gpus_of_worker(const JobSpec& spec);

// The requests and limits of the container of this role: those of the manifest, completed by defaults. As in
// Kubernetes, a limit without a request is also the request. A memory request without a limit is also the limit,
// because a process plans its memory by its limit, or else by the memory of the whole node. A role of the user's own
// program has no defaults.
Resources resources_of(const JobSpec& spec, train::Role role);

}  // namespace carrack::control
