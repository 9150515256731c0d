// Loop is the control loop (reconcile loop) of the operator and of `carrack run`. Each pass takes one job that is due,
// observes it through Cluster, decides with reconcile(), writes the status, and carries out the actions. Then the loop
// sleeps until the next job is due. While a pass runs, all other jobs of this loop wait. A new Loop knows nothing of
// earlier ones: all that must survive is in the status. It guarantees for every job:
// - The status is written just before any action is carried out, even if it is unchanged, and only if the job still has
//   the version that was read. The old status is written again if only reports of the coordinator have changed, that
//   change is not due yet, and all actions repeat refused ones: this makes no new version of the job.
// - No decision uses a cached kind of object that is older than this loop's last write of that kind. The loop waits for
//   the watches, and reads by quorum after a second. After a write with an unknown outcome or version it reads by
//   quorum in the next pass.
// - A decision without new actions that changes only details of the status, and not which conditions hold, is written
//   only once the status has been unchanged for an interval (WriteIntervals). At its end the job is decided on again.
//   Failures and disruptions are written immediately.
// - Actions are carried out in order. Withdrawals, creates and deletes of processes are sent in batches of up to
//   sixteen. Batches of creates have one, two, four ... actions, and one again after a batch in which a create was not
//   done.
// - A refused create or delete does not stop the others: the job is decided on again immediately, and reconcile()
//   retries that action only after a pause. A passed check changes nothing. After any other action that was not done,
//   the actions after its batch are dropped, and the job is decided on again after a growing pause.
// - Decisions see the cluster's last refusal about each child until its action is done. They also see when this loop
//   first observed that a process is silent, since the clocks of nodes may differ.
// - Pauses are measured by a steady clock. The wall clock, which may be set at any time, is only used for times in a
//   status.
// - If deciding throws, the job is parked: nothing is done with it until its spec changes, and its condition says so
//   (reason OperatorBug). Other jobs continue.
// - Nothing is decided on a job whose spec is of a newer release: its condition says so (NeedsNewerOperator).
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <stop_token>

#include "dataloader/mutex.h"
#include "operator/runtime/cluster.h"
#include "operator/runtime/queue.h"

namespace carrack::control {

// The outcome of one pass over a job, for metrics and logs.
struct Pass {
  enum class Result {
    rests,              // nothing was to be done, or the job does not exist
    waits_for_watches,  // the cache is older than this loop's own writes; nothing was decided
    acted,              // the status was written, and all actions, if there were any, were done
    refused,            // all actions were sent, and some were refused
    not_done,           // a write was not done, and all later actions were dropped
    parked,             // deciding threw, or the job needs a newer release
    cluster_failed,     // the pass threw: mostly because the cluster could not be read
  };
  std::string job;
  Result result = Result::rests;
  std::string error = {};  // empty unless something was not done
  std::chrono::milliseconds duration{0};
};

// The minimum time between a write that changed the status and a write that changes only its details, such as messages
// or the step. It limits the load of the API server. If a condition becomes true or false, the status is written
// immediately. With 0 details are written immediately, too.
struct WriteIntervals {
  std::chrono::milliseconds details{3'000};
  std::chrono::milliseconds reports{30'000};  // if only the coordinator's reports have changed
};

// Call either run(), or turn() again and again, always on the same thread. All other functions may be called from any
// thread.
class Loop {
 public:
  using Decide = std::function<Decision(const JobSpec&, const JobStatus&, const Observed&, Time)>;
  using OnPass = std::function<void(const Pass&)>;

  // `cluster` and `clock` must outlive this. `decide` is called during a pass and may throw; the arguments are the
  // spec, the status, what was observed, and the time of the wall clock in whole seconds. `on_pass` is called after
  // each pass, on the same thread, and must not throw. Neither may be empty.
  Loop(
      Cluster& cluster, const Clock& clock, Decide decide, OnPass on_pass = [](const Pass&) {},
      WriteIntervals intervals = WriteIntervals());

  // Makes the job due, because something has happened to it. The Loop does not watch the cluster: its owner passes
  // wake() to Cluster::watch(), and replaces that callback before it destroys the Loop.
  void wake(const std::string& job) EXCLUDES(mutex_);

  // Makes one pass over a job that is due; does nothing if none is due. Does not wait for jobs to be due. Returns the
  // time at which the next job is due, perhaps in the past; nullopt if no job is queued.
  std::optional<Instant> turn() EXCLUDES(mutex_);

  // Makes passes until `stop` is requested, and sleeps between them. Completes a pass that has begun.
  void run(const std::stop_token& stop) EXCLUDES(mutex_);

  // When the current pass began, to detect a loop that hangs; nullopt between passes.
  std::optional<Instant> pass_started_at() const;
  // The number of jobs that wait for a pass: those that were due after the last pass, and those that were woken since.
  // A job that is both counts twice.
  std::size_t waiting() const EXCLUDES(mutex_);

 private:
  // What the loop remembers of a job between two passes.
  struct JobMemory {
    Versions known{};                             // by kind, the newest version written or decided on
    bool has_key = false;                         // its CreateKey was done
    bool must_read_by_quorum = false;             // the outcome or version of a write is unknown
    std::optional<Instant> stale_since;           // since when the view has been older than this loop's writes
    std::string uid;                              // of the job; another UID is another job of that name
    std::optional<std::int64_t> parked_at;        // the generation on which deciding threw
    LastRefusals answers;                         // refusals about this job's children, without their times
    std::map<std::string, Instant> answered_at;   // when each of `answers` came; none for `not_sent`
    std::map<std::string, Instant> silent_since;  // by process: since when this loop has seen it silent
    std::optional<Instant> status_changed;        // when a write last changed the status
    bool is_gone = false;
  };
  Pass run_pass(const std::string& job);
  Pass::Result reconcile_once(const std::string& job, JobMemory& memory);
  Snapshot observe(const std::string& job, JobMemory& memory);
  bool is_fresh(const std::string& job, JobMemory& memory, const Snapshot& snapshot);
  std::optional<Decision> decide(const std::string& job, JobMemory& memory, const JobRecord& record, Observed observed);
  Pass::Result leave_alone(const std::string& job, JobMemory& memory, const JobRecord& record);
  Pass::Result carry_out(const std::string& job, JobMemory& memory, const Snapshot& snapshot, const Decision& decision);
  LastRefusals dated_answers(const JobMemory& memory) const;
  void date_silences(JobMemory& memory, Observed& observed) const;
  Instant instant_of(Time time) const;
  bool put_status(const std::string& job, JobMemory& memory, Version read, const JobStatus& status);
  bool is_write_due(const std::string& job, const JobMemory& memory, const JobRecord& record, const Decision& decision);
  Pass::Result act(const std::string& job, JobMemory& memory, const JobSpec& spec, const std::vector<Action>& actions);
  bool remember_reply(JobMemory& memory, const Action& action, const Reply& reply, Pass::Result& result);
  void remember_answer(JobMemory& memory, const std::string& child, const Reply& reply);
  // Remembers the outcome of a write of this kind; nullopt if Snapshot::seen does not show the kind. Returns whether
  // the write was done.
  bool remember(JobMemory& memory, std::optional<Kind> kind, const Reply& reply);

  Cluster& cluster_;
  const Clock& clock_;
  const Decide decide_;
  const OnPass on_pass_;
  const WriteIntervals intervals_;
  std::atomic<Instant::rep> pass_started_at_ = 0;  // 0 between passes
  std::atomic<std::size_t> due_ = 0;               // number of jobs that were due after the last pass
  std::string error_;                              // Pass::error of the current pass
  Queue queue_;
  std::map<std::string, JobMemory> memories_;
  Versions versions_of_deleted_jobs_{};  // so that an older list does not bring one of these jobs back

  mutable Mutex mutex_;
  ConditionVariable woken_signal_;
  std::set<std::string> woken_ GUARDED_BY(mutex_);
};

}  // namespace carrack::control
