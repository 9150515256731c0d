// JobSpec: metadata and spec of a TrainingJob as plain data, with defaults. decode_job() (codec/job.h) makes it from
// YAML or JSON. It is not validated; problems_in() (validate.h) does that. The part for the trainer is JobSpec::config.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "operator/core/node.h"
#include "operator/core/own_program.h"
#include "operator/core/run_policy.h"
#include "trainer/launch/config.h"
#include "trainer/launch/member.h"

namespace carrack::control {

// Wall clock time in whole seconds, as Kubernetes writes it.
using Time = std::chrono::sys_seconds;

// Kubernetes quantities such as 500m or 4Gi, by the name of the resource, such as cpu or nvidia.com/gpu.
using Quantities = std::map<std::string, std::string>;

struct Resources {
  Quantities requests;
  Quantities limits;
  bool operator==(const Resources&) const = default;
};

// What the manifest says about the pods of a role: spec.replicas.ROLE.resources and .template. `carrack run`, which has
// no pods, uses only the command and environment of the user's own program (runs_own_program).
struct PodOptions {
  Resources resources;  // of the trainer's container, as written; resources_of() adds the defaults of the role
  std::optional<Node> pod_template;  // a PodTemplateSpec that is merged over the operator's own
  bool operator==(const PodOptions&) const = default;
};

struct JobSpec {
  std::string name;
  std::string uid;  // assigned by the cluster or `carrack run`; a later job of the same name has another UID
  std::int64_t generation = 0;  // increased with every change of the spec, and by `carrack run` when it continues
  RunPolicy run;
  PodOptions coordinator_pod;
  PodOptions ps_pod;      // of each parameter server
  PodOptions worker_pod;  // of each worker
  // The wanted number of workers: spec.replicas.worker.count of a manifest that also has `min` and `max`. nullopt: it
  // has not, and config.workers.max workers are wanted.
  std::optional<int> worker_count = {};
  std::optional<OwnProgram> own = {};  // set with strategy Own; then `config` is not used
  train::Config config;
  bool operator==(const JobSpec&) const = default;
};

constexpr int replicas_max = 1'000;  // of one role; an index then has at most three digits in process names

// Returns the options of the role's pods, as a reference into `spec`.
const PodOptions& pod_options(const JobSpec& spec, train::Role role);

// Returns true if processes of this role run the user's own program (image and command in the role's template) and not
// carrack-trainer: all roles with strategy Own, and the workers of a model of kind Own, which work with the trainer's
// coordinator and parameter servers.
bool runs_own_program(const JobSpec& spec, train::Role role);

// Replaces $(NAME) and $(UID) in spec.checkpoint.folder by spec.name and spec.uid, which must be set: "gs://b/$(NAME)"
// becomes "gs://b/digits".
void fill_in_folder(JobSpec& spec);

}  // namespace carrack::control
