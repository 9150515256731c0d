// `carrack run MANIFEST`: runs a TrainingJob on this machine, without Kubernetes, and waits for its end. The job's
// members are child processes. Restarts and failures are decided by the same code as in the operator.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "operator/cli/validate.h"
#include "operator/core/job_status.h"
#include "operator/core/validate.h"

namespace carrack::control {

// Functions that read the checkpoint folder of a job, such as those of last_commit.h. They must not throw.
struct ReadFolder {
  // Returns the job's last commit; nullopt if it has none, or if the folder cannot be read.
  std::function<std::optional<LastCheckpoint>(const JobSpec& job)> last_commit;
  // Returns the UID of another job that owns the folder now; empty if no other job does, or if the folder cannot be
  // read.
  std::function<std::string(const JobSpec& job)> other_owner;
};
// Returns a chart of the job's losses, to be printed after success if standard output is a terminal; empty if it cannot
// be drawn.
using DrawHistory = std::function<std::string(const JobSpec& job)>;

// Takes the arguments after `run`. Returns the exit code: 0 if the job has succeeded, now or in an earlier run; 1 if it
// has failed, or for an error of this machine; 2 if nothing was started because of a mistake of the user; 130 if the
// job was suspended or interrupted and can be continued; it prints how. An error is printed, not thrown. The functions
// are called on this thread, and must not be empty. Call this once in a process: it handles SIGINT, SIGTERM and SIGHUP
// from then on, and ignores SIGPIPE and SIGXFSZ. While the job runs, the first of these signals suspends it, and
// another SIGINT or SIGTERM ends it at once. Before and after that each of them ends this process with exit code 130.
int run(std::span<char* const> arguments, const ModelCheck& check_model, const CheckFiles& look,
        const ReadFolder& read_folder, const DrawHistory& draw_history);

}  // namespace carrack::control
