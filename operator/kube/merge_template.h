// Merges the pod template of a TrainingJob (spec.replicas.ROLE.template) over the pod that the operator has built, so
// that users can add volumes, sidecars or tolerations. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace carrack::control {

// Changes `pod`; both must be JSON objects. Objects are merged field by field. Any other value in the template replaces
// the value in the pod, and null removes the field. These lists, in any object, are merged entry by entry instead:
// - `containers`: containers with the same name are merged, others are appended;
// - `env` and `volumes` (by name), `ports` (by containerPort), `volumeMounts` (by mountPath) and `tolerations` (by key
//   and effect): an entry with the same key replaces the pod's entry, others are appended. Each of the pod's entries is
//   replaced once, so two entries of the template never become one.
// Checks nothing: check_pod_template() refuses templates that change what belongs to the operator.
void merge_template(const nlohmann::json& pod_template, nlohmann::json& pod);

}  // namespace carrack::control
