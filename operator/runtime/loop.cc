#include "operator/runtime/loop.h"

#include <algorithm>
#include <utility>

#include "dataloader/check.h"
#include "operator/core/answers.h"
#include "operator/core/conditions.h"
#include "operator/core/reasons.h"
#include "operator/core/restart.h"

namespace carrack::control {
namespace {

// The loop waits this long for the watches to show its own writes. After that it reads the job from the server itself
// (Reading::quorum).
constexpr std::chrono::seconds watch_delay_max{1};

// A job is decided on again at Decision::wake_at, but not before this time has passed.
constexpr std::chrono::milliseconds pause_min{100};

bool is_older(const Versions& seen, const Versions& known) {
  return !std::ranges::equal(seen, known, std::ranges::greater_equal());
}

Versions newest(const Versions& left, const Versions& right) {
  Versions newest;
  for (std::size_t kind = 0; kind < kinds; ++kind) newest[kind] = std::max(left[kind], right[kind]);
  return newest;
}

// Returns the refusal that the reply contains; nullopt if the action was done.
std::optional<Refusal> refusal_in(const Reply& reply) {
  switch (reply.result) {
    case WriteResult::done:
    case WriteResult::already:
      return std::nullopt;
    case WriteResult::refused:
      if (reply.is_invalid) return Refusal::invalid;
      return reply.over_quota ? Refusal::quota : Refusal::denied;
    case WriteResult::not_now:
      return Refusal::not_now;
    case WriteResult::conflict:
    case WriteResult::unanswered:
      break;
  }
  return Refusal::unanswered;
}

// The maximum number of actions in a batch. The actions of a batch are sent at the same time.
constexpr std::size_t batch_max = 16;

bool is_create(const Action& action) {
  return std::holds_alternative<CreateProcess>(action);
}

bool may_be_in_a_batch(const Action& action) {
  return is_create(action) || std::holds_alternative<WithdrawProcess>(action) ||
         std::holds_alternative<DeleteProcess>(action);
}

// Returns the number of actions at the front that do not depend on each other, because they have the same type.
std::size_t independent_at_front(std::span<const Action> actions) {
  if (!may_be_in_a_batch(actions.front())) return 1;
  const auto other =
      std::ranges::find_if(actions, [&](const Action& action) { return action.index() != actions.front().index(); });
  return static_cast<std::size_t>(other - actions.begin());
}

// True if the cluster has refused each of these actions before, so that the pass only repeats them. A refused create is
// repeated every few seconds, and need not cause a write of the status each time.
bool only_repeats(const LastRefusals& answers, const std::vector<Action>& actions) {
  return std::ranges::all_of(actions, [&](const Action& action) { return answers.contains(child_of(action)); });
}

// True if the actions after this one must not be sent, because this one was not done. After a refusal the others are
// still sent, unless this action is a withdrawal or a check, on which later actions rely.
bool drops_the_rest(const Action& action, WriteResult result) {
  if (result == WriteResult::done || result == WriteResult::already) return false;
  return result != WriteResult::refused || std::holds_alternative<WithdrawProcess>(action) ||
         std::holds_alternative<CheckProcess>(action);
}

// True for a check (a dry run of a create) that found no fault. It has written nothing, and the create may still be
// refused, so the loop remembers nothing about it.
bool is_passed_check(const Action& action, const Reply& reply) {
  return std::holds_alternative<CheckProcess>(action) && reply.result == WriteResult::already;
}

}  // namespace

Loop::Loop(Cluster& cluster, const Clock& clock, Decide decide, OnPass on_pass, WriteIntervals intervals)
    : cluster_(cluster),
      clock_(clock),
      decide_(std::move(decide)),
      on_pass_(std::move(on_pass)),
      intervals_(intervals) {}

void Loop::wake(const std::string& job) {
  const MutexLock lock(mutex_);
  woken_.insert(job);
  woken_signal_.notify_one();
}

std::optional<Instant> Loop::turn() {
  const Instant now = clock_.steady_now();
  {
    const MutexLock lock(mutex_);
    for (const std::string& job : woken_) queue_.add(job, now);
    woken_.clear();
  }
  if (const auto job = queue_.take(now)) {
    CHECK_EQ(pass_started_at_.load(), 0);
    pass_started_at_ = now.time_since_epoch().count();
    Pass pass = run_pass(*job);
    pass_started_at_ = 0;
    if (pass.result == Pass::Result::not_done || pass.result == Pass::Result::cluster_failed) {
      queue_.add_failed(*job, clock_.steady_now());
    } else {
      queue_.succeeded(*job);
    }
    due_ = queue_.due(clock_.steady_now());
    on_pass_(pass);
  }
  return queue_.next_due();
}

void Loop::run(const std::stop_token& stop) {
  const std::stop_callback wake_up(stop, [this] {
    const MutexLock lock(mutex_);
    woken_signal_.notify_all();
  });
  while (!stop.stop_requested()) {
    const std::optional<Instant> next = turn();
    MutexLock lock(mutex_);
    bool is_due = false;
    while (woken_.empty() && !stop.stop_requested() && !is_due) {
      if (next) {
        is_due = woken_signal_.wait_until(lock, *next) == std::cv_status::timeout;
      } else {
        woken_signal_.wait(lock);
      }
    }
  }
}

std::optional<Instant> Loop::pass_started_at() const {
  const Instant::rep since = pass_started_at_;
  return since == 0 ? std::nullopt : std::optional(Instant(Instant::duration(since)));
}

std::size_t Loop::waiting() const {
  const MutexLock lock(mutex_);
  return due_ + woken_.size();
}

Pass Loop::run_pass(const std::string& job) {
  const auto [entry, is_new] = memories_.try_emplace(job);
  JobMemory& memory = entry->second;
  if (is_new) memory.known = versions_of_deleted_jobs_;
  Pass pass{.job = job, .result = Pass::Result::cluster_failed};
  const Instant begin = clock_.steady_now();
  try {
    pass.result = reconcile_once(job, memory);
  } catch (const std::exception& failure) {
    memory.must_read_by_quorum = true;  // The pass may have written before it failed.
    error_ = failure.what();
  }
  pass.error = std::exchange(error_, "");
  pass.duration = clock_.steady_now() - begin;
  if (memory.is_gone) {
    versions_of_deleted_jobs_ = newest(versions_of_deleted_jobs_, memory.known);
    memories_.erase(job);
  }
  return pass;
}

Pass::Result Loop::reconcile_once(const std::string& job, JobMemory& memory) {
  const Snapshot snapshot = observe(job, memory);
  if (!is_fresh(job, memory, snapshot)) return Pass::Result::waits_for_watches;
  memory.is_gone = !snapshot.job;
  if (snapshot.job && memory.uid != snapshot.job->spec.uid) {  // It is another job with the same name.
    memory.uid = snapshot.job->spec.uid;
    memory.parked_at.reset();
    memory.answers.clear();
    memory.answered_at.clear();
    memory.has_key = false;
  }
  if (!snapshot.job || memory.parked_at == snapshot.job->spec.generation) return Pass::Result::rests;
  if (!snapshot.job->unknown_in_spec.empty()) return leave_alone(job, memory, *snapshot.job);
  const std::optional<Decision> decision = decide(job, memory, *snapshot.job, snapshot.observed);
  if (!decision) return Pass::Result::parked;
  // wake_at should be in the future. The minimum pause keeps a job with a wake_at in the past from being due all the
  // time, so that other jobs have their turns.
  if (decision->wake_at) queue_.add(job, std::max(instant_of(*decision->wake_at), clock_.steady_now() + pause_min));
  return carry_out(job, memory, snapshot, *decision);
}

Snapshot Loop::observe(const std::string& job, JobMemory& memory) {
  const bool has_waited = memory.stale_since && clock_.steady_now() >= *memory.stale_since + watch_delay_max;
  // The cache may show too late that a process answers again, so a silence is used only if a read by quorum confirms
  // it.
  const bool decides_on_silence = std::ranges::any_of(
      memory.silent_since, [&](const auto& silence) { return clock_.steady_now() >= silence.second + silence_max; });
  const bool by_quorum = memory.must_read_by_quorum || has_waited || decides_on_silence;
  Snapshot snapshot = cluster_.observe(job, by_quorum ? Reading::quorum : Reading::cached);
  if (by_quorum) {
    memory.must_read_by_quorum = false;
    memory.stale_since.reset();
  }
  return snapshot;
}

// True if the snapshot shows all writes of this loop. If not, queues the job for when the watches should have shown
// them.
bool Loop::is_fresh(const std::string& job, JobMemory& memory, const Snapshot& snapshot) {
  if (!is_older(snapshot.seen, memory.known)) {
    memory.stale_since.reset();
    memory.known = snapshot.seen;
    return true;
  }
  const Instant now = clock_.steady_now();
  if (!memory.stale_since) memory.stale_since = now;
  queue_.add(job, std::max(now, *memory.stale_since + watch_delay_max));
  return false;
}

std::optional<Decision> Loop::decide(const std::string& job, JobMemory& memory, const JobRecord& record,
                                     Observed observed) {
  const Time now = std::chrono::floor<seconds>(clock_.now());
  observed.answers = dated_answers(memory);
  observed.has_key = memory.has_key;
  date_silences(memory, observed);
  try {
    return decide_(record.spec, record.status, observed, now);
  } catch (const std::exception& error) {
    JobStatus status = record.status;
    park(status, reasons::operator_bug, error.what(), now);
    // If the status cannot be written, nobody can see why the job is left alone, so the job is decided on again.
    if (!put_status(job, memory, record.version, status)) throw;
    error_ = error.what();
    memory.parked_at = record.spec.generation;
    return std::nullopt;
  }
}

// For a spec of a newer release: says in the status that this operator cannot run the job, and does nothing else.
Pass::Result Loop::leave_alone(const std::string& job, JobMemory& memory, const JobRecord& record) {
  if (is_finished(record.status)) return Pass::Result::rests;
  JobStatus status = record.status;
  park(status, reasons::needs_newer_operator,
       record.unknown_in_spec + "; only a newer release of the operator can run it",
       std::chrono::floor<seconds>(clock_.now()));
  if (status == record.status) return Pass::Result::rests;
  if (!put_status(job, memory, record.version, status)) return Pass::Result::not_done;
  error_ = record.unknown_in_spec;
  return Pass::Result::parked;
}

Pass::Result Loop::carry_out(const std::string& job, JobMemory& memory, const Snapshot& snapshot,
                             const Decision& decision) {
  const JobRecord& record = *snapshot.job;
  if (decision.actions.empty() && decision.status == record.status) return Pass::Result::rests;
  const bool acts_anew = !only_repeats(memory.answers, decision.actions);
  const bool is_due = acts_anew || is_write_due(job, memory, record, decision);
  if (decision.actions.empty() && !is_due) return Pass::Result::rests;
  const bool leaves_out_reports = !is_due && same_but_for_reports(record.status, decision.status);
  const JobStatus& status = leaves_out_reports ? record.status : decision.status;
  if (!put_status(job, memory, record.version, status)) return Pass::Result::not_done;
  if (status != record.status) memory.status_changed = clock_.steady_now();
  // Answers about old starts are forgotten only after the status with the new starts is written. If that write fails,
  // the old starts are still the current ones.
  forget_old(memory.answers, record.spec, decision.status, snapshot.observed);
  std::erase_if(memory.answered_at, [&](const auto& one) { return !memory.answers.contains(one.first); });
  return act(job, memory, record.spec, decision.actions);
}

// True if the change of the status is to be written in this pass. If it is not due yet, queues the job for that time.
bool Loop::is_write_due(const std::string& job, const JobMemory& memory, const JobRecord& record,
                        const Decision& decision) {
  if (decision.status == record.status) return false;
  if (!same_conditions_hold(record.status, decision.status)) return true;
  // The totals of failures and lost steps are written immediately, because the next pass may not see the ended process
  // any more. The pauses between starts limit how often this happens.
  if (!same_failure_totals(record.status, decision.status)) return true;
  // The report of the last commit is written at the shorter interval. An operator that starts again must know of it, so
  // that it starts no members for a job that has no step left.
  const bool is_last_commit =
      awaits_end_of_leader(record.status, record.spec) != awaits_end_of_leader(decision.status, record.spec);
  const bool is_report = same_but_for_reports(record.status, decision.status) && !is_last_commit;
  const auto interval = is_report ? intervals_.reports : intervals_.details;
  if (!memory.status_changed || clock_.steady_now() >= *memory.status_changed + interval) return true;
  queue_.add(job, *memory.status_changed + interval);
  return false;
}

// Returns the answers with the times when they came. The loop remembers these times by the steady clock. Decisions need
// them by the wall clock, which may have been set since.
LastRefusals Loop::dated_answers(const JobMemory& memory) const {
  LastRefusals answers = memory.answers;
  for (auto& [child, answer] : answers) {
    const auto at = memory.answered_at.find(child);
    if (at != memory.answered_at.end())
      answer.at = std::chrono::ceil<seconds>(clock_.now() - (clock_.steady_now() - at->second));
  }
  return answers;
}

// Sets silent_since to the time when this loop first saw the process silent, because the clock of its node may differ.
void Loop::date_silences(JobMemory& memory, Observed& observed) const {
  const Instant now = clock_.steady_now();
  const auto before = std::exchange(memory.silent_since, {});
  for (ObservedProcess& process : observed.processes) {
    if (!process.silent_since) continue;
    const auto known = before.find(process.name);
    const Instant since = known == before.end() ? now : known->second;
    memory.silent_since.emplace(process.name, since);
    process.silent_since = std::chrono::ceil<seconds>(clock_.now() - (now - since));
  }
}

Instant Loop::instant_of(Time time) const {
  return clock_.steady_now() + (time - clock_.now());
}

bool Loop::put_status(const std::string& job, JobMemory& memory, Version read, const JobStatus& status) {
  return remember(memory, Kind::job, cluster_.put_status(job, read, status));
}

Pass::Result Loop::act(const std::string& job, JobMemory& memory, const JobSpec& spec,
                       const std::vector<Action>& actions) {
  Pass::Result result = Pass::Result::acted;
  std::size_t width = 1;
  for (std::span<const Action> rest = actions; !rest.empty();) {
    if (result == Pass::Result::not_done) {
      for (const Action& action : rest)
        memory.answers.try_emplace(child_of(action), LastRefusal{.refusal = Refusal::not_sent, .in_a_row = 0});
      break;
    }
    // Batches of creates begin with one action and double while all are done, so that a full quota refuses only a few.
    const std::size_t most = is_create(rest.front()) ? width : batch_max;
    const std::span<const Action> batch = rest.first(std::min(most, independent_at_front(rest)));
    const std::vector<Reply> replies = cluster_.apply_all(job, spec, batch);
    CHECK_EQ(replies.size(), batch.size());
    bool all_done = true;
    for (std::size_t n = 0; n < batch.size(); ++n) {
      all_done &= remember_reply(memory, batch[n], replies[n], result);
    }
    if (is_create(batch.front())) width = all_done ? std::min(2 * width, batch_max) : 1;
    rest = rest.subspan(batch.size());
  }
  if (result == Pass::Result::refused) queue_.add(job, clock_.steady_now());
  return result;
}

// Returns whether the action is done. If not, `result` becomes the result of the pass.
bool Loop::remember_reply(JobMemory& memory, const Action& action, const Reply& reply, Pass::Result& result) {
  if (is_passed_check(action, reply)) return true;
  remember(memory, kind_of(action), reply);
  remember_answer(memory, child_of(action), reply);
  if (drops_the_rest(action, reply.result)) {
    result = Pass::Result::not_done;
  } else if (reply.result == WriteResult::refused && result != Pass::Result::not_done) {
    result = Pass::Result::refused;
  }
  const bool is_done = reply.result == WriteResult::done || reply.result == WriteResult::already;
  if (std::holds_alternative<CreateKey>(action)) memory.has_key = is_done;
  return is_done;
}

void Loop::remember_answer(JobMemory& memory, const std::string& child, const Reply& reply) {
  const std::optional<Refusal> refusal = refusal_in(reply);
  if (!refusal) {
    memory.answers.erase(child);
    memory.answered_at.erase(child);
    return;
  }
  LastRefusal& answer = memory.answers.try_emplace(child, LastRefusal{.in_a_row = 0}).first->second;
  const bool rests = *refusal == Refusal::quota || *refusal == Refusal::denied;
  answer = {*refusal, reply.error, answer.in_a_row + (rests ? 1 : 0)};
  memory.answered_at[child] = clock_.steady_now();
}

// Without a `kind` (for a Secret) no watch will show the written object, so there is no version to wait for.
bool Loop::remember(JobMemory& memory, std::optional<Kind> kind, const Reply& reply) {
  const bool is_done = reply.result == WriteResult::done;
  const bool is_surely_not_done = reply.result == WriteResult::refused || reply.result == WriteResult::not_now;
  if (!is_done) error_ = reply.error;
  if (!kind) return is_done;
  if (!is_surely_not_done && (!is_done || reply.version == 0)) memory.must_read_by_quorum = true;
  Version& newest = memory.known[static_cast<std::size_t>(*kind)];
  if (is_done) newest = std::max(newest, reply.version);
  return is_done;
}

}  // namespace carrack::control
