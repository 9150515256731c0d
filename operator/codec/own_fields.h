// The fields of `spec` of a TrainingJob with strategy Own, whose pods run the user's own program: decodes and encodes
// them. spec_fields.h explains such lists.
#pragma once

#include "operator/codec/fields.h"
#include "operator/codec/replica_fields.h"

namespace carrack::train {

template <>
inline constexpr Spelling<control::Framework> spellings<control::Framework>[] = {
    {control::Framework::none, "None"},
    {control::Framework::tensorflow, "TensorFlow"},
    {control::Framework::pytorch, "PyTorch"}};
template <>
inline constexpr Spelling<control::SuccessPolicy> spellings<control::SuccessPolicy>[] = {
    {control::SuccessPolicy::leader, "Leader"}, {control::SuccessPolicy::all_workers, "AllWorkers"}};

}  // namespace carrack::train

namespace carrack::control {

// An entry of spec.replicas, such as `worker: {count: 3, template: ...}`.
struct OwnRoleFields {
  int count = 1;
  PodOptions pod;
};

template <class Fields>
void fields_of(Fields& fields, OwnRoleFields& role) {
  fields.optional("count", role.count);
  if constexpr (Fields::reads) {
    if (role.count == 0) fields.report("count", "is 0; leave out a role that has no process");
  }
  for (const char* name : {"min", "max"}) {
    fields.refused(name, "is for jobs of the trainer; with strategy Own give count");
  }
  fields_of(fields, role.pod);
}

// Lists the fields framework, success and replicas, and refuses those that are for the trainer. `spec.own` must be set.
// On reading, a role that is not in spec.replicas gets no process.
template <class Fields>
void fields_of_own(Fields& fields, JobSpec& spec) {
  OwnProgram& own = *spec.own;
  fields.optional("framework", own.framework);
  fields.optional("success", own.success);
  fields.group("replicas", [&](auto& replicas) {
    const auto role = [&](const char* name, int& count, PodOptions& pod) {
      OwnRoleFields fields_of_role{Fields::reads ? 1 : count, pod};
      if (Fields::reads || count > 0) replicas.optional(name, fields_of_role);
      if constexpr (Fields::reads) {
        count = replicas.has(name) ? fields_of_role.count : 0;
        pod = fields_of_role.pod;
      }
    };
    role("coordinator", own.coordinators, spec.coordinator_pod);
    role("ps", own.ps, spec.ps_pod);
    role("worker", own.workers, spec.worker_pod);
  });
  for (const char* name : {"model", "data", "training", "checkpoint", "security"}) {
    fields.refused(name, "is for the trainer; with strategy Own the image's program has its own settings");
  }
}

}  // namespace carrack::control
