// Decides which members are replaced because the coordinator reports that they hang: a worker that does not finish a
// step, or a member that others cannot reach. A report is untrusted, so it can end only few starts, only current ones,
// and not the leader's. Pure.
#pragma once

#include <optional>

#include "operator/core/observed.h"

namespace carrack::control {

// After such a replacement the same member may be replaced for this reason again only after hung_again_after, and
// another member of the job only after next_hung_after.
constexpr seconds hung_again_after = std::chrono::minutes(10);
constexpr seconds next_hung_after{60};

// The report that the member hangs, if its current start is to end now because of it; else nullptr. Points into
// `observed`.
const ReportedHung* hung_by_report(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                                   const train::Member& member, Time now);
// The earliest time at which a member that is reported as hung may be replaced; nullopt if none is reported. May be in
// the past.
std::optional<Time> next_replacement_of_hung(const JobStatus& status, const JobSpec& spec, const Observed& observed);

}  // namespace carrack::control
