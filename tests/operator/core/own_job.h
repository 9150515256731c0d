// Jobs that run the user's own program, for tests.
#pragma once

#include <string>

#include "operator/codec/node.h"
#include "operator/core/job.h"

namespace carrack::control {

// A pod template with one container, to whose fields `more` is added.
inline Node own_template(const std::string& more = "") {
  return std::get<Node>(parse_yaml("spec:\n  containers:\n  - name: trainer\n    image: mine\n    " + more + "\n"));
}

inline JobSpec own_job(const OwnProgram& own) {
  JobSpec spec;
  spec.name = "line";
  spec.uid = "1b4e28ba";
  spec.own = own;
  if (own.coordinators > 0) spec.coordinator_pod.pod_template = own_template();
  if (own.ps > 0) spec.ps_pod.pod_template = own_template();
  if (own.workers > 0) spec.worker_pod.pod_template = own_template();
  return spec;
}

}  // namespace carrack::control
