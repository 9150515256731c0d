#include "operator/core/last_failure.h"

#include <algorithm>

#include "operator/core/exit_words.h"
#include "operator/core/member_words.h"
#include "operator/core/printable.h"
#include "operator/core/reasons.h"
#include "trainer/launch/exit.h"

namespace carrack::control {
namespace {

void add_exit(const ObservedProcess& process, LastFailure& failure) {
  failure.exit_code = process.exit_code;
  failure.signal = signal_of(process.exit_code);
}

// Adds the steps that must be computed again. A report or an edited status may contain any numbers, so this function
// bounds them all before it computes with them.
void add_lost_steps(JobStatus& status, std::int64_t done, std::int64_t kept) {
  const auto bounded = [](std::int64_t steps) { return std::clamp<std::int64_t>(steps, 0, lost_steps_max); };
  const std::int64_t lost = std::max<std::int64_t>(0, bounded(done) - bounded(kept));
  status.lost_steps = bounded(bounded(status.lost_steps) + lost);
}

}  // namespace

LastFailure failure_of(const ObservedProcess* process, const EndNote& note, const std::string& pod, Time now) {
  const bool has_exited = process && process->state == ProcessState::exited;
  LastFailure failure{.member = member_name(note.member),
                      .pod = pod,
                      .node = note.node,
                      .time = has_exited ? process->ended_at.value_or(now) : now};
  failure.message =
      printable(has_exited && !process->message.empty() ? process->message : note.words, message_bytes_max);
  if (process && process->cause) failure.reason = train::spelled(*process->cause);
  if (has_exited && process->cannot_start) failure.reason = start_error;
  if (note.reported_hung || (process && is_hung_at_end(*process, now))) failure.reason = hung;
  if (has_exited && !process->never_ran) add_exit(*process, failure);
  return failure;
}

bool is_about_last_failure(std::string_view reason) {
  constexpr std::string_view about_it[] = {
      reasons::member_restarts, reasons::job_restarts,           reasons::user_error,
      reasons::failure_rule,    reasons::backoff_limit_exceeded, reasons::checkpoint_taken};
  return std::ranges::find(about_it, reason) != std::end(about_it);
}

void count_steps_lost_by_restart(JobStatus& status, const JobSpec& spec) {
  // A job with spec.checkpoint.resume continues the step numbers of another job. The first of its own steps is not
  // known before its first commit.
  const bool is_known = status.last_checkpoint || spec.config.checkpoint.resume.empty();
  if (!status.progress || !is_known) return;
  add_lost_steps(status, status.progress->step, status.last_checkpoint ? status.last_checkpoint->step : 0);
}

void count_steps_lost_by_rollback(JobStatus& status, const Progress& reported) {
  if (status.progress) add_lost_steps(status, status.progress->step, reported.step);
}

}  // namespace carrack::control
