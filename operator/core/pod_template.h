// Checks spec.replicas.ROLE.template: a PodTemplateSpec of Kubernetes, which is merged over the pod of the operator.
// Its fields are those of Kubernetes and checked by the API server; here is checked that it leaves alone what the
// operator needs as it is, and has lists and objects where the merge looks for entries. Pure.
#pragma once

#include <string>

#include "operator/core/job.h"
#include "operator/core/problems.h"

namespace carrack::control {

// `field` is the path of the role's template, such as spec.replicas.worker.template.
void check_pod_template(const JobSpec& spec, train::Role role, const Node& pod_template, const std::string& field,
                        Problems& problems);

// The container in which the trainer runs, or the user's own program; null if the template does not mention it.
const Node* trainer_container_in(const Node& pod_template);
// The same of the template of a role; null also if the role has none.
const Node* trainer_container_of(const JobSpec& spec, train::Role role);

}  // namespace carrack::control
