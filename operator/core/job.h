// The decoded spec of a TrainingJob, as plain data: what the user wrote, with defaults, not validated. The part that
// the trainer works by is its Config.
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

using Time = std::chrono::sys_seconds;

// Amounts by the names of resources, such as memory or nvidia.com/gpu, as Kubernetes quantities.
using Quantities = std::map<std::string, std::string>;

struct Resources {
  Quantities requests;
  Quantities limits;
  bool operator==(const Resources&) const = default;
};

// What the manifest says about the pods of a role. Of it `carrack run` uses the command of the user's own program
// alone (runs_own_program).
struct PodOptions {
  Resources resources;               // of the trainer's container; resources_of() adds the defaults of the role
  std::optional<Node> pod_template;  // a PodTemplateSpec that is merged over the operator's own
  bool operator==(const PodOptions&) const = default;
};

struct JobSpec {
  std::string name;
  std::string uid;              // assigned by the cluster; a later job of the same name has another
  std::int64_t generation = 0;  // increased by the cluster with every change of the spec
  RunPolicy run;
  PodOptions coordinator_pod;
  PodOptions ps_pod;      // of each parameter server
  PodOptions worker_pod;  // of each worker
  // How many workers there are to be now, from config.workers.min to config.workers.max; nullopt: as many as max.
  std::optional<int> worker_count = {};
  std::optional<OwnProgram> own = {};  // set with strategy Own; then `config` is not used
  train::Config config;
  bool operator==(const JobSpec&) const = default;
};

constexpr int replicas_max = 1'000;  // of a role: three digits in a process name

const PodOptions& pod_options(const JobSpec& spec, train::Role role);

// Whether processes of this role run the user's own program, whose image and command are in the role's template: all
// with strategy Own, and the workers of a model of kind Own, which work with the trainer's servers.
bool runs_own_program(const JobSpec& spec, train::Role role);

// Replaces $(NAME) and $(UID) in spec.checkpoint.folder by the job's own, which must be known.
void fill_in_folder(JobSpec& spec);

}  // namespace carrack::control
