// Decides which members are replaced because the coordinator reports that they hang: a worker that does not finish a
// step, or a member that others cannot reach. record_ended_starts() (restart.h) and reconcile() use it. The operator
// does not trust the report of a job's process, so the effect is limited: the leader is never replaced, only the
// current process of a member is, and the pauses below make such replacements rare. Pure.
#pragma once

#include <optional>

#include "operator/core/observed.h"

namespace carrack::control {

// After such a replacement the same member may be replaced for this reason again only after hung_again_after, and
// another member of the job only after next_hung_after. A restart of the whole job ends these pauses.
constexpr seconds hung_again_after = std::chrono::minutes(10);
constexpr seconds next_hung_after{60};

// Returns the report that the member hangs, if its running process is to be replaced now because of it. Returns nullptr
// if there is no such report, or if a pause above has not passed. May return a report for several members; the caller
// replaces only the first. Points into `observed`.
const ReportedHung* hung_by_report(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                                   const train::Member& member, Time now);
// Returns the earliest time at which hung_by_report() can return a report, so that the operator decides again then.
// nullopt if no member is reported. May be in the past.
std::optional<Time> next_replacement_of_hung(const JobStatus& status, const JobSpec& spec, const Observed& observed);

}  // namespace carrack::control
