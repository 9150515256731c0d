// JobProtocol has the decisions that differ between jobs of the trainer and jobs of the user's own program (strategy
// Own): which member leads, what the end of a process means, when the job has succeeded, and how it drains. All
// functions are pure.
#pragma once

#include "operator/core/observed.h"
#include "operator/core/stage.h"

namespace carrack::control {

// What the end of a start means.
enum class Ending {
  done,              // The member has done its work, and is not started again.
  before_leader,     // It had no work left. It starts again if the leader has not ended after leader_exit_timeout.
  user_error,        // The job fails.
  checkpoint_taken,  // The job fails, as another job owns its checkpoint folder.
  left,              // Not charged; the member is started again after disruption_backoff().
  failed,            // Charged; the member is started again after member_backoff().
  job_restarts,      // All members start again, by a failure rule.
  job_fails,         // The job fails, by a failure rule.
};

struct ExitMeaning {
  Ending ending = Ending::failed;
  const char* remark = "";  // appended to the message about the exit
  bool drained = false;     // it left because it was told to, so JobStatus::disruptions does not count it
};

class JobProtocol {
 public:
  virtual ~JobProtocol() = default;

  virtual train::Member leader(const JobSpec& spec) const = 0;
  // The meaning of the end of a process that has exited. Not called if a failure rule applies.
  virtual ExitMeaning meaning_of(const JobStatus& status, const JobSpec& spec, const ObservedProcess& exited) const = 0;
  // True if enough members are done (MemberStatus::done) for the job to have succeeded.
  virtual bool has_succeeded(const JobStatus& status, const JobSpec& spec) const = 0;
  // True if no member can continue without the others. The end of a process that ran then restarts all members, unless
  // it was a success.
  virtual bool restarts_as_one(const JobSpec& spec) const = 0;
  // True if a start that ran for steady_after clears the member's failures. If false, only a commit clears them.
  virtual bool forgives_by_time() const = 0;
  // The stage of a job that drains, while starts of its members have not ended.
  virtual Stage drain_stage(const JobStatus& status, const JobSpec& spec, const Observed& observed) const = 0;
};

// These objects live until the program ends.
const JobProtocol& trainer_protocol();
const JobProtocol& own_protocol();
inline const JobProtocol& protocol_of(const JobSpec& spec) {
  return spec.own ? own_protocol() : trainer_protocol();
}

// True if the leader has reported the commit of the last step.
bool reported_final_commit(const JobStatus& status);

}  // namespace carrack::control
