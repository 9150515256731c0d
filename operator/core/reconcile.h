// Decides what happens to a job: a pure function of its spec, its status, what the cluster shows, and the time.
// Before the caller carries out any action it writes the decided status, even if that is unchanged. It then carries out
// the actions in the order given. Every action may be repeated and may arrive late: a create carries the fence of its
// start, and a delete names one start.
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

// Creates the secret by which the job's processes authenticate each other. Its random content is drawn by the Cluster
// that carries out the action. Counts as done if the object exists already, as the operator cannot see it. It is never
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

// Takes a process out of the Service. This comes before the create of its replacement, since a process on a dead node
// cannot be deleted.
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

// Asks the cluster whether a process like this would be valid, and creates nothing. Refused only if it is not valid;
// the caller then drops the actions after it. Other reasons to refuse a process appear when it is created.
struct CheckProcess {
  Process process;
  bool operator==(const CheckProcess&) const = default;
};

using Action = std::variant<CreateService, CreateConfig, CreateKey, DeleteService, DeleteConfig, DeleteJob,
                            WithdrawProcess, DeleteProcess, CreateProcess, CheckProcess>;

struct Decision {
  JobStatus status;
  std::vector<Action> actions;
  std::optional<Time> wake_at;  // decide again then, even if nothing has happened
  bool operator==(const Decision&) const = default;
};

// Throws std::logic_error if `status` has implausible_counts().
Decision reconcile(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now,
                   const ModelCheck& check_model);

}  // namespace carrack::control
