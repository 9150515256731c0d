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

// Functions that read the checkpoint folder of a job.
struct ReadFolder {
  // Returns the job's last commit; nullopt if it has none, or if the folder cannot be read.
  std::function<std::optional<LastCheckpoint>(const JobSpec& job)> last_commit;
  // Returns the UID of another job that has the folder now; empty if no other job has it, or if the folder cannot be
  // read.
  std::function<std::string(const JobSpec& job)> other_owner;
};
// Returns a chart of the job's losses for the terminal; empty if it cannot be drawn.
using DrawHistory = std::function<std::string(const JobSpec& job)>;

// Takes the arguments after `run`. Returns the exit code, as docs/reference/trainingjob.md lists them. An error is
// printed, not thrown. The functions are called on this thread, and must not be empty. Call this once in a process: it
// handles SIGINT, SIGTERM and SIGHUP from then on, and ignores SIGPIPE and SIGXFSZ.
int run(std::span<char* const> arguments, const ModelCheck& check_model, const LookAtFiles& look,
        const ReadFolder& read_folder, const DrawHistory& draw_history);

}  // namespace carrack::control
