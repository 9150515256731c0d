// Which members are replaced because the coordinator says that they hang: a worker that computes one step for ever, or
// a member that others cannot reach. A report is untrusted, so it can end few starts, and none but a current one.
#pragma once

#include <optional>

#include "operator/core/observed.h"

namespace carrack::control {

// After a member was replaced on that word, it is not for so long, and no other member of the job is for the shorter
// time.
constexpr seconds hung_again_after = std::chrono::minutes(10);
constexpr seconds next_hung_after{60};

// What is said of the process of the member's current start, if that start is to end now; nullptr if it is not.
const ReportedHung* hung_by_report(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                                   const train::Member& member, Time now);
// When the next of the members that are said to hang may be replaced; nullopt if there is none.
std::optional<Time> next_replacement_of_hung(const JobStatus& status, const JobSpec& spec, const Observed& observed);

}  // namespace carrack::control
