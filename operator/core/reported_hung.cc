#include "operator/core/reported_hung.h"

#include <algorithm>

#include "operator/core/plan.h"
#include "operator/core/restart.h"

namespace carrack::control {
namespace {

// Returns the coordinator's report that the process of the member's current start hangs; nullptr if there is none or
// the process does not run. Ignores reports about the leader.
const ReportedHung* find_report(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                                const train::Member& member) {
  const CoordinatorReport* report = current_report(status, spec, observed);
  const ObservedProcess* process = current_process(status, observed, member);
  if (!report || !process || member == leader_of(spec)) return nullptr;
  if (process->state != ProcessState::running || process->terminating) return nullptr;
  const auto found = std::ranges::find_if(report->hung, [&](const ReportedHung& one) {
    return one.member == member && one.incarnation == process->fence.incarnation;
  });
  return found == report->hung.end() ? nullptr : &*found;
}

// Returns the earliest time at which the operator may replace the member because of a report. The pauses since earlier
// such replacements limit the harm that wrong reports can do.
Time replaceable_from(const JobStatus& status, const train::Member& member) {
  Time earliest = Time::min();
  for (const auto& [other, start] : status.members) {
    if (!start.reported_hung) continue;
    earliest = std::max(earliest, *start.reported_hung + (other == member ? hung_again_after : next_hung_after));
  }
  return earliest;
}

}  // namespace

const ReportedHung* hung_by_report(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                                   const train::Member& member, Time now) {
  return now >= replaceable_from(status, member) ? find_report(status, spec, observed, member) : nullptr;
}

std::optional<Time> next_replacement_of_hung(const JobStatus& status, const JobSpec& spec, const Observed& observed) {
  std::optional<Time> earliest;
  for (const auto& [member, start] : status.members) {
    if (!find_report(status, spec, observed, member)) continue;
    const Time time = replaceable_from(status, member);
    earliest = std::min(earliest.value_or(time), time);
  }
  return earliest;
}

}  // namespace carrack::control
