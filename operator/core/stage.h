// Which members a job wants now. A job that is suspended drains first: its workers leave, its coordinator cuts and
// commits, and only then its parameter servers go, at most spec.drainSeconds later.
#pragma once

#include <vector>

#include "operator/core/observed.h"

namespace carrack::control {

enum class Stage { training, draining, stopped };

// Sets or clears status.drain_deadline.
Stage next_stage(JobStatus& status, const JobSpec& spec, const Observed& observed, Time now);

std::vector<train::Member> wanted(const JobSpec& spec, Stage stage);

}  // namespace carrack::control
