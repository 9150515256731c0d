// Merges the pod template of a manifest over the pod that the operator makes. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace carrack::control {

// Objects are merged field by field, and of any other value that of the template replaces the pod's; null removes it.
// Lists whose entries have a key keep the pod's entries: containers of the same name are merged; an entry of `env` or
// `volumes` with the same name, of `ports` with the same containerPort, of `volumeMounts` with the same mountPath or of
// `tolerations` with the same key and effect is replaced; all others are added behind. check_pod_template() says what
// of a pod a template may change.
void merge_template(const nlohmann::json& pod_template, nlohmann::json& pod);

}  // namespace carrack::control
