// JobProtocol has the rules that differ between jobs of the trainer and jobs of the user's own program (strategy Own):
// which member leads, what the exit of a process means, when the job has succeeded, and how it drains. reconcile() and
// the files that it uses, such as restart.h, call it. All functions are pure.
//
// A start is one process of a member. If worker-2 is restarted once, it has had two starts.
#pragma once

#include "operator/core/observed.h"
#include "operator/core/stage.h"

namespace carrack::control {

// What the end of a start means. The pauses and times are in restart.h. A failure rule is one of spec.run.failureRules.
enum class Ending {
  // The member has done its work. It is not started again in this attempt, except after a suspension of a job whose
  // members restart as one.
  done,
  // The member is not the leader, and ended with success, because it saw the end of the training. The leader probably
  // ends soon. If the job still trains after leader_exit_timeout, the member starts again.
  before_leader,
  user_error,        // The job fails: a retry would fail in the same way.
  checkpoint_taken,  // The job fails: another job owns its checkpoint folder.
  uncharged,         // Not a failure, such as an eviction. The member starts again after disruption_backoff().
  failed,            // Counts as a failure of the member, which (or the whole job) starts again after a pause.
  job_restarts,      // All members start again, by a failure rule.
  job_fails,         // The job fails, by a failure rule.
};

struct ExitMeaning {
  Ending ending = Ending::failed;
  const char* remark = "";  // appended to the message about the exit: ", but reported no commit of the last step"
  bool drained = false;     // it ended on request, not by a disruption, so JobStatus::disruptions does not count it
};

class JobProtocol {
 public:
  virtual ~JobProtocol() = default;

  // Returns the member whose start begins each attempt and, in a job of the trainer, whose reports are the progress of
  // the job: coordinator-0, or worker-0 if the job has no coordinator.
  virtual train::Member leader(const JobSpec& spec) const = 0;
  // Returns what the exit of this process means. `exited` must have exited. Called only if no failure rule applies, and
  // its program ran or one of its init containers failed.
  virtual ExitMeaning meaning_of(const JobStatus& status, const JobSpec& spec, const ObservedProcess& exited) const = 0;
  // True if enough members are done (MemberStatus::done) for the job to have succeeded. In a job of the trainer this is
  // the leader. With strategy Own, spec.own->success says which members.
  virtual bool has_succeeded(const JobStatus& status, const JobSpec& spec) const = 0;
  // True if no member can continue without the others, as with PyTorch. The end of a process that ran then restarts all
  // members, unless it was a success.
  virtual bool restarts_as_one(const JobSpec& spec) const = 0;
  // True if a start that ran for steady_after (restart.h) clears the member's count of failures. If false, only a new
  // commit or a restart of the whole job clears it. True with strategy Own, since the operator does not see commits of
  // the user's program.
  virtual bool forgives_by_time() const = 0;
  // Returns the stage of a job that drains. Called by next_stage() (stage.h), while not all starts have ended.
  virtual Stage drain_stage(const JobStatus& status, const JobSpec& spec, const Observed& observed) const = 0;
};

// These objects live until the program ends. protocol_of() returns the one for this job.
const JobProtocol& trainer_protocol();
const JobProtocol& own_protocol();
inline const JobProtocol& protocol_of(const JobSpec& spec) {
  return spec.own ? own_protocol() : trainer_protocol();
}

// True if the leader of a trainer's job has reported a commit of the last step. False while the number of steps is not
// known.
bool reported_final_commit(const JobStatus& status);

}  // namespace carrack::control
