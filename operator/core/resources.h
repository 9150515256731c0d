// Kubernetes resources (cpu, memory, GPUs) of the container named trainer: checks those in a manifest, for validate.h,
// and adds the defaults of each role, for the pods and for `carrack plan`. Pure.
#pragma once

#include "operator/core/job.h"
#include "operator/core/problems.h"

namespace carrack::control {

inline constexpr const char* nvidia_gpu = "nvidia.com/gpu";

// Adds a problem to `problems` for each unknown name, invalid quantity and request above its limit, and for each
// request of a device or of huge pages without an equal limit, and if there are more than 20. `field` is the path of
// the resources in the manifest, such as spec.replicas.worker.resources. check_gpus() limits the number of GPUs.
void check_resources(const Resources& resources, const std::string& field, Problems& problems);

// Adds problems for GPUs, for a role that runs the trainer and not the user's program: only workers may have them, and
// each 1, 2, 4, 8 or 16 whole GPUs (nvidia.com/gpu; not a shared or partitioned GPU).
void check_gpus(const Resources& resources, train::Role role, const std::string& field, Problems& problems);

// Returns the number of GPUs on which each worker of the trainer computes, from its limits; 0 if it has none, and if
// workers run the user's own program.
int gpus_of_worker(const JobSpec& spec);

// Returns the requests and limits of the container of this role: those of the manifest, completed by defaults. A role
// that runs the user's own program has no defaults.
// - A limit without a request is also the request, as in Kubernetes.
// - A memory request without a limit is also the limit, so that no process uses up the memory of its node.
// - A coordinator that evaluates the model, or computes statistics of the data, has the worker's cpu and memory as
//   defaults.
Resources resources_of(const JobSpec& spec, train::Role role);

}  // namespace carrack::control
