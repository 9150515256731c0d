// Checks spec.replicas.ROLE.template: a PodTemplateSpec of Kubernetes, which is merged over the operator's pod. Refuses
// fields that the operator sets itself, and anything but lists and objects where the merge needs them. All other fields
// are left to the API server. Pure.
#pragma once

#include <string>

#include "operator/core/job.h"
#include "operator/core/problems.h"

namespace carrack::control {

// Adds the problems of the template. `field` is its path in the manifest, such as spec.replicas.worker.template.
void check_pod_template(const JobSpec& spec, train::Role role, const Node& pod_template, const std::string& field,
                        Problems& problems);

// The container named trainer, in which the trainer or the user's own program runs; nullptr if the template does not
// mention it. Points into `pod_template`.
const Node* trainer_container_in(const Node& pod_template);
// The container named trainer in the template of a role; nullptr even if the role has no template. Points into `spec`.
const Node* trainer_container_of(const JobSpec& spec, train::Role role);

}  // namespace carrack::control
