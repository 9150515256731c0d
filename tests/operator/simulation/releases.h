// Operators of the release before this one and of the one after it. In worlds where releases differ, statuses are
// stored as JSON, as an API server does, and every write is the product's own merge patch.
#pragma once

#include "tests/operator/simulation/api.h"

namespace carrack::simulation {

enum class Release {
  only,     // there is no other in this world
  present,  // of several
  older,    // does not know `workerSelector` and `members.reportedHung` of a status
  newer,    // writes a field and a condition that no other release knows
};

// What this release reads of a status.
control::JobStatus known_to(Release release, control::JobStatus status);

// The job as it is stored after an operator of this release has written `status`. Throws a Violation if that takes away
// what another release has written. `is_patched`: false is a bug, to replace the status as a whole.
JobObject written_by(Release release, const JobObject& before, const control::JobStatus& status, bool is_patched);

}  // namespace carrack::simulation
