// `carrack run`: runs a job on this machine, with the same decisions as on Kubernetes.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "operator/cli/validate.h"
#include "operator/core/job_status.h"
#include "operator/core/validate.h"

namespace carrack::control {

// What the checkpoint folder of a job says.
struct ReadFolder {
  // What the job has committed last; nullopt if that cannot be read.
  std::function<std::optional<LastCheckpoint>(const JobSpec& job)> last_commit;
  // The UID of another job that has the folder now; empty if none has, or if that cannot be read.
  std::function<std::string(const JobSpec& job)> other_owner;
};
// A chart of the job's losses for the terminal; empty if there is none.
using DrawHistory = std::function<std::string(const JobSpec& job)>;

// Takes the arguments after `run`. Returns the exit code, as docs/reference/trainingjob.md lists them; an error is
// printed, not thrown. Call it once in a process, as it counts interrupts from then on.
int run(std::span<char* const> arguments, const ModelCheck& check_model, const LookAtFiles& look,
        const ReadFolder& read_folder, const DrawHistory& draw_history);

}  // namespace carrack::control
