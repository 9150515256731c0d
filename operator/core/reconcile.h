// Decides what happens to a job: a pure function of its spec, its status and what the cluster shows.
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

// The Service that leads to the coordinator, on whatever node it runs.
struct CreateService {
  std::string name;
  bool operator==(const CreateService&) const = default;
};

// The configuration that every process of the job reads when it starts.
struct CreateConfig {
  std::string name;
  bool operator==(const CreateConfig&) const = default;
};

// The secret by which the job's processes know each other: random, drawn by the cluster that carries this out. It is
// done also if the object is there, whose content nobody can see. It is never deleted before the job.
struct CreateKey {
  std::string name;
  bool operator==(const CreateKey&) const = default;
};

// Service and configuration are deleted once nothing uses them any more: a job that has ended keeps no address of the
// cluster.
struct DeleteService {
  std::string name;
  bool operator==(const DeleteService&) const = default;
};

struct DeleteConfig {
  std::string name;
  bool operator==(const DeleteConfig&) const = default;
};

// The job itself, whose user wants that some time after its end. Its children go with it.
struct DeleteJob {
  std::string name;
  bool operator==(const DeleteJob&) const = default;
};

// Takes a process out of the Service. This precedes the create of its replacement, since a process on a dead node
// cannot be deleted.
struct WithdrawProcess {
  std::string name;
  bool operator==(const WithdrawProcess&) const = default;
};

struct DeleteProcess {
  std::string name;
  seconds grace{0};  // how long it may take to end
  bool operator==(const DeleteProcess&) const = default;
};

struct CreateProcess {
  Process process;
  bool operator==(const CreateProcess&) const = default;
};

// Asks the cluster whether a process like this would be valid, and creates nothing. Refused only if it would not be,
// and then the actions after it are dropped: what else a cluster has against a process it says when it is to create it.
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

// Throws std::logic_error if `status` holds counters that reconcile() cannot have written.
Decision reconcile(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now,
                   const ModelCheck& check_model);

}  // namespace carrack::control
