// `carrack run`: runs a job on this machine, with the same decisions as on Kubernetes.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "operator/cli/validate.h"
#include "operator/core/job_status.h"
#include "operator/core/validate.h"

namespace carrack::control {

// What the job has committed last, as its checkpoint folder says; nullopt if that cannot be read.
using ReadLastCommit = std::function<std::optional<LastCheckpoint>(const JobSpec& job)>;
// A chart of the job's losses for the terminal; empty if there is none.
using DrawHistory = std::function<std::string(const JobSpec& job)>;

// Takes the arguments after `run`. Returns the exit code, as docs/reference/trainingjob.md lists them; an error is
// printed, not thrown. Call it once in a process, as it counts interrupts from then on.
int run(std::span<char* const> arguments, const ModelCheck& check_model, const LookAtFiles& look,
        const ReadLastCommit& read_last_commit, const DrawHistory& draw_history);

}  // namespace carrack::control
