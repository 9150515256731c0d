// Validates spec.replicas.ROLE.template of a TrainingJob: a PodTemplateSpec of Kubernetes, which the operator merges
// over the pod that it makes. Refuses fields that the operator sets itself, and anything but lists and objects where
// the merge needs them. The API server checks all other fields (first_checks.h). Pure.
#pragma once

#include <string>

#include "operator/core/job.h"
#include "operator/core/problems.h"

namespace carrack::control {

// Adds the problems of `pod_template` to `problems`. `field` is its path in the manifest, such as
// spec.replicas.worker.template. `spec` and `role` decide which fields belong to the operator.
void check_pod_template(const JobSpec& spec, train::Role role, const Node& pod_template, const std::string& field,
                        Problems& problems);

// Returns the container named trainer, in which the trainer or the user's own program runs; nullptr if the template
// does not have it. Points into `pod_template`.
const Node* trainer_container_in(const Node& pod_template);
// Returns the same in the template of a role of `spec`; nullptr also if the role has no template. Points into `spec`.
const Node* trainer_container_of(const JobSpec& spec, train::Role role);

}  // namespace carrack::control
