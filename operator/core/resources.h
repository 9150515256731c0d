// The resources of the trainer's container: what a manifest says of them, its problems, and the defaults of each role.
// Pure.
#pragma once

#include "operator/core/job.h"
#include "operator/core/problems.h"

namespace carrack::control {

inline constexpr const char* nvidia_gpu = "nvidia.com/gpu";

// `field` is the path of the resources, such as spec.replicas.worker.resources.
void check_resources(const Resources& resources, const std::string& field, Problems& problems);

// Of a role that the trainer runs: a worker may have one GPU.
void check_gpus(const Resources& resources, train::Role role, const std::string& field, Problems& problems);

// On how many GPUs each worker of the trainer computes, as its resources say.
int gpus_of_worker(const JobSpec& spec);

// What the container of this role requests, and how much it may use at most: as the manifest says, and defaults for the
// rest. As in Kubernetes, a limit without a request is the request, too. A memory request without a limit is the limit,
// too: a process plans its memory by its limit, and without one by that of the whole node. Where the user's own program
// runs there are no defaults, as nothing is known of it.
Resources resources_of(const JobSpec& spec, train::Role role);

}  // namespace carrack::control
