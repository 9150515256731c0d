// The decision function of the operator: from spec, status, what the cluster shows, and the time, it decides the next
// status of a job and the actions to take, such as the creation of a pod. Loop (operator/runtime/loop.h) calls it for
// each job to which something has happened, and carries out the result. Pure.
//
// Before any action the caller writes the decided status, even if it is unchanged; it may leave out new progress. It
// then carries out the actions in their order, consecutive ones of the same type perhaps at the same time. An action
// may be repeated or arrive late without harm, since the name of a process occurs only once: it contains attempt
// (restarts of the whole job) and incarnation (starts of this member within the attempt).
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "operator/core/observed.h"
#include "operator/core/plan.h"
#include "operator/core/validate.h"

namespace carrack::control {

// In each action, `name` is the name of the object in the cluster.

// Creates the Service by which members find the coordinator on any node. With strategy Own it leads to all members.
struct CreateService {
  std::string name;
  bool operator==(const CreateService&) const = default;
};

// Creates the configuration that every process of the job reads when it starts.
struct CreateConfig {
  std::string name;
  bool operator==(const CreateConfig&) const = default;
};

// Creates the secret by which the job's processes authenticate each other. The Cluster that carries out the action
// draws its random content. Counts as done if the object exists already, since the operator may not read it. No action
// deletes it; it is deleted with the job.
struct CreateKey {
  std::string name;
  bool operator==(const CreateKey&) const = default;
};

// Service and configuration are deleted once no process is wanted and none is alive, so that a finished or suspended
// job occupies no address of the cluster.
struct DeleteService {
  std::string name;
  bool operator==(const DeleteService&) const = default;
};

struct DeleteConfig {
  std::string name;
  bool operator==(const DeleteConfig&) const = default;
};

// Deletes the job itself with all its children, after spec.run.ttlSecondsAfterFinished.
struct DeleteJob {
  std::string name;
  bool operator==(const DeleteJob&) const = default;
};

// Makes the Service send no more connections to a process. This comes before the create of its replacement, since a
// process on a dead node cannot be deleted.
struct WithdrawProcess {
  std::string name;
  bool operator==(const WithdrawProcess&) const = default;
};

struct DeleteProcess {
  std::string name;
  seconds grace{0};  // how long the process may take to end after SIGTERM
  bool operator==(const DeleteProcess&) const = default;
};

struct CreateProcess {
  Process process;
  bool operator==(const CreateProcess&) const = default;
};

// A dry run: the cluster checks whether this process would be valid, and creates nothing. Refused only if it is not
// valid; the caller then skips the actions after it. Other reasons to refuse a process appear when it is created.
struct CheckProcess {
  Process process;
  bool operator==(const CheckProcess&) const = default;
};

using Action = std::variant<CreateService, CreateConfig, CreateKey, DeleteService, DeleteConfig, DeleteJob,
                            WithdrawProcess, DeleteProcess, CreateProcess, CheckProcess>;

struct Decision {
  JobStatus status;
  std::vector<Action> actions;
  // The caller decides again at this time, even if nothing has happened. May be in the past. nullopt: only when
  // something happens.
  std::optional<Time> wake_at;
  bool operator==(const Decision&) const = default;
};

// Returns the next status and what to do. `status` is that of the last decision, or JobStatus() for a new job. `now` is
// the time of the wall clock. The spec is validated, with `check_model`, only until the first member is started; a job
// with an invalid spec fails (reason InvalidSpec). Throws std::logic_error if `status` has implausible_counts().
Decision reconcile(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now,
                   const ModelCheck& check_model);

}  // namespace carrack::control
