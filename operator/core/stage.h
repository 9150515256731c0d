// Which members a job wants now. A job that is suspended drains first: its workers leave, its coordinator cuts and
// commits, and only then its parameter servers go, at most spec.drainSeconds later.
#pragma once

#include <vector>

#include "operator/core/observed.h"

namespace carrack::control {

enum class Stage {
  training,  // All members are wanted.
  draining,  // All but the workers.
  stopped,   // None.
};

// The stage of the job from now on. Sets status.drain_deadline when draining begins, and clears it once the job is not
// suspended any more.
Stage next_stage(JobStatus& status, const JobSpec& spec, const Observed& observed, Time now);

// The members that are wanted in this stage, in the order of starting.
std::vector<train::Member> wanted(const JobSpec& spec, Stage stage);

}  // namespace carrack::control
