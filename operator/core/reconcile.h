// The one place where it is decided what happens to a job: a pure function of what is known and what is seen.
// Whoever carries a Decision out writes its status first, even if unchanged, and only then acts, in the order given;
// every action may be repeated, and none is wrong when it comes late: starts carry fences, ends name one start.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "operator/core/observed.h"
#include "operator/core/plan.h"
#include "operator/core/validate.h"

namespace carrack::control {

// Leads to the coordinator, wherever it runs.
struct CreateService {
  std::string name;
  bool operator==(const CreateService&) const = default;
};

// What every process of the job reads at its start.
struct CreateConfig {
  std::string name;
  bool operator==(const CreateConfig&) const = default;
};

// The Service leads no longer to it. Comes before its replacement, as a process on a dead node cannot be deleted.
struct WithdrawProcess {
  std::string name;
  bool operator==(const WithdrawProcess&) const = default;
};

struct DeleteProcess {
  std::string name;
  seconds grace{0};  // how long it may take to leave
  bool operator==(const DeleteProcess&) const = default;
};

struct CreateProcess {
  Process process;
  bool operator==(const CreateProcess&) const = default;
};

using Action = std::variant<CreateService, CreateConfig, WithdrawProcess, DeleteProcess, CreateProcess>;

struct Decision {
  JobStatus status;
  std::vector<Action> actions;
  std::optional<Time> wake_at;  // look again then, even if nothing is heard
  bool operator==(const Decision&) const = default;
};

// Throws std::logic_error of a status that it cannot have written.
Decision reconcile(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now,
                   const ModelCheck& check_model);

}  // namespace carrack::control
