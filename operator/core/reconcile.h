// Decides what happens to a job: a pure function of its spec, its status, what the cluster shows, and the time.
// Before any action the caller writes the decided status, even if it is unchanged. It then carries out the actions in
// their order. Every action may be repeated and may arrive late: a create carries the fence of its start, and a delete
// names one start.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "operator/core/observed.h"
#include "operator/core/plan.h"
#include "operator/core/validate.h"

namespace carrack::control {

// Creates the Service that leads to the coordinator on whatever node it runs, or to all members with strategy Own.
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
// draws its random content. Counts as done if the object exists already, as the operator cannot see it. It is never
// deleted before the job.
struct CreateKey {
  std::string name;
  bool operator==(const CreateKey&) const = default;
};

// Service and configuration are deleted once no process is wanted or alive, so that a finished job occupies no address
// of the cluster.
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
  seconds grace{0};  // how long the process may take to end
  bool operator==(const DeleteProcess&) const = default;
};

struct CreateProcess {
  Process process;
  bool operator==(const CreateProcess&) const = default;
};

// Asks the cluster whether this process would be valid, and creates nothing. Refused only if it is not valid; the
// caller then skips the actions after it. Other reasons to refuse a process appear when it is created.
struct CheckProcess {
  Process process;
  bool operator==(const CheckProcess&) const = default;
};

using Action = std::variant<CreateService, CreateConfig, CreateKey, DeleteService, DeleteConfig, DeleteJob,
                            WithdrawProcess, DeleteProcess, CreateProcess, CheckProcess>;

struct Decision {
  JobStatus status;
  std::vector<Action> actions;
  std::optional<Time> wake_at;  // the caller decides again at this time, even if nothing has happened; may be past
  bool operator==(const Decision&) const = default;
};

// Returns the next status and what to do. `status` is that of the last decision, or JobStatus() for a new job. The spec
// is validated, with `check_model`, only before the first start of a member. Throws std::logic_error if `status` has
// implausible_counts().
Decision reconcile(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now,
                   const ModelCheck& check_model);

}  // namespace carrack::control
