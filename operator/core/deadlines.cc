#include "operator/core/deadlines.h"

#include <algorithm>

#include "operator/core/plan.h"
#include "operator/core/reasons.h"
#include "operator/core/waits.h"

namespace carrack::control {
namespace {

std::string text_of(const char* field, const std::optional<seconds>& deadline) {
  return std::string("spec.run.") + field + " (" + std::to_string(deadline->count()) + ")";
}

// Returns when the job was created or last resumed, from which its deadlines count. Returns nullopt before the first
// decision on the job, while it is or shall be suspended, and once it has finished.
std::optional<Time> active_since(const JobStatus& status, const JobSpec& spec) {
  const Condition* created = find(status, ConditionType::created);
  if (!created || spec.run.suspend || is_finished(status)) return std::nullopt;
  const Condition* suspended = find(status, ConditionType::suspended);
  if (!suspended || suspended->reason != reasons::resumed)
    return suspended && suspended->holds ? std::nullopt : std::optional(created->since);
  return suspended->since;
}

std::optional<Time> deadline_after(const std::optional<Time>& since, const std::optional<seconds>& allowed) {
  return since && allowed ? std::optional(*since + *allowed) : std::nullopt;
}

std::optional<Time> start_deadline(const JobStatus& status, const JobSpec& spec) {
  return status.start_time ? std::nullopt : deadline_after(active_since(status, spec), spec.run.start_deadline);
}

std::optional<Time> active_deadline(const JobStatus& status, const JobSpec& spec) {
  return deadline_after(active_since(status, spec), spec.run.active_deadline);
}

// Returns when the job counts as stalled, unless it reports a new step before. Returns nullopt while no new steps are
// expected, or while the operator cannot read the coordinator's report.
std::optional<Time> progress_deadline(const JobStatus& status, const JobSpec& spec, const Observed& observed) {
  const CoordinatorReport* report = current_report(status, spec, observed);
  const bool is_known = report && !report->data_work && !observed.report_unreachable;
  if (awaits_end_of_leader(status, spec)) return std::nullopt;
  if (!is_known || !holds(status, ConditionType::running) || spec.run.suspend) return std::nullopt;
  const Time running_since = find(status, ConditionType::running)->since;
  const Time since = std::max(running_since, status.progress_time.value_or(running_since));
  // The time since the report was read does not count, because there may have been new steps.
  return deadline_after(since + observed.report_age, spec.run.progress_deadline);
}

}  // namespace

std::optional<JobOutcome> missed_start(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                                       Time now) {
  const std::optional<Time> deadline = start_deadline(status, spec);
  if (!deadline || now < *deadline) return std::nullopt;
  if (enough_members_run(spec, count_replicas(status, observed, members_of(spec)))) return std::nullopt;
  const Condition* running = find(status, ConditionType::running);
  return JobOutcome{false, reasons::start_deadline_exceeded,
                    "did not run within " + text_of("startDeadlineSeconds", spec.run.start_deadline) + ": " +
                        (running ? running->reason + ": " + running->message : "")};
}

bool is_overdue(const JobStatus& status, const JobSpec& spec, Time now) {
  const std::optional<Time> deadline = active_deadline(status, spec);
  return deadline && now >= *deadline;
}

JobOutcome overdue_outcome(const JobSpec& spec) {
  return {false, reasons::deadline_exceeded,
          "was active for longer than " + text_of("activeDeadlineSeconds", spec.run.active_deadline)};
}

bool is_stalled(const JobStatus& status, const JobSpec& spec, const Observed& observed, Time now) {
  const std::optional<Time> deadline = progress_deadline(status, spec, observed);
  return deadline && now >= *deadline && !is_overdue(status, spec, now);
}

std::optional<Time> next_deadline(const JobStatus& status, const JobSpec& spec, const Observed& observed, Time now) {
  std::optional<Time> next;
  for (const std::optional<Time>& deadline : {start_deadline(status, spec), active_deadline(status, spec),
                                              progress_deadline(status, spec, observed), deletion_time(status, spec)}) {
    if (deadline && *deadline > now) next = std::min(next.value_or(*deadline), *deadline);
  }
  return next;
}

std::optional<Time> deletion_time(const JobStatus& status, const JobSpec& spec) {
  return is_finished(status) ? deadline_after(status.completion_time, spec.run.ttl_after_finished) : std::nullopt;
}

}  // namespace carrack::control
