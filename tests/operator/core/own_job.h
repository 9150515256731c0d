// Jobs that run the user's own program, for tests.
#pragma once

#include <string>

#include "operator/codec/node.h"
#include "operator/core/job.h"
#include "tests/operator/core/scene.h"

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

// Of the trainer, with a model that the program of its workers computes.
inline JobSpec own_model_job() {
  JobSpec spec = some_job();
  spec.config.model = train::OwnModel{{{"weight", {4, 3}}, {"bias", {4}}}};
  spec.worker_pod.pod_template = own_template("command: [python3, /fit.py]");
  return spec;
}

}  // namespace carrack::control
