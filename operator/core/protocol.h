// What a job of the trainer and one that runs the user's own program answer differently: who leads, what the end of a
// process means, when the job has succeeded, and how it is drained. All functions are pure.
#pragma once

#include "operator/core/observed.h"
#include "operator/core/stage.h"

namespace carrack::control {

// What the end of a start means.
enum class Ending {
  done,              // The member has done its work, and is not started again.
  before_leader,     // It has no work left. It is started again if the leader does not end soon.
  user_error,        // The job fails.
  checkpoint_taken,  // The job fails, as another job owns its checkpoint folder.
  left,              // Without a charge; the member is started again after disruption_backoff().
  failed,            // Charged; the member is started again after member_backoff().
  job_restarts,      // All members start again: a failure rule says so.
  job_fails,         // The job fails: a failure rule says so.
};

struct ExitMeaning {
  Ending ending = Ending::failed;
  const char* remark = "";  // follows the words for the exit
  bool drained = false;     // the process was told to leave, and did
};

class JobProtocol {
 public:
  virtual ~JobProtocol() = default;

  virtual train::Member leader(const JobSpec& spec) const = 0;
  // The meaning of a process that has exited, where no failure rule is for it.
  virtual ExitMeaning meaning_of(const JobStatus& status, const JobSpec& spec, const ObservedProcess& exited) const = 0;
  // True if the job has succeeded, by the members that are done.
  virtual bool has_succeeded(const JobStatus& status, const JobSpec& spec) const = 0;
  // True if no member can go on without the others: the end of one that is not done restarts all.
  virtual bool restarts_as_one(const JobSpec& spec) const = 0;
  // True if a start that ran for long is forgiven the failures before it. Otherwise a commit forgives them.
  virtual bool forgives_by_time() const = 0;
  // The stage of a job that is to end for now, while members of it may run.
  virtual Stage drain_stage(const JobStatus& status, const JobSpec& spec, const Observed& observed) const = 0;
};

const JobProtocol& trainer_protocol();
const JobProtocol& own_protocol();
inline const JobProtocol& protocol_of(const JobSpec& spec) {
  return spec.own ? own_protocol() : trainer_protocol();
}

// True if the commit of the last step is reported.
bool reported_final_commit(const JobStatus& status);

}  // namespace carrack::control
