#include "operator/runtime/loop.h"

#include <algorithm>
#include <utility>

#include "operator/core/conditions.h"

namespace carrack::control {
namespace {

// How long watches may take to bring our own writes before we ask for them.
constexpr std::chrono::seconds patience_with_watches{1};

Version& of(Versions& versions, Kind kind) {
  return versions[static_cast<std::size_t>(kind)];
}

bool older(const Versions& seen, const Versions& known) {
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    if (seen[kind] < known[kind]) return true;
  }
  return false;
}

Versions newest(const Versions& left, const Versions& right) {
  Versions newest;
  for (std::size_t kind = 0; kind < kinds; ++kind) newest[kind] = std::max(left[kind], right[kind]);
  return newest;
}

}  // namespace

Kind kind_of(const Action& action) {
  if (std::holds_alternative<CreateService>(action)) return Kind::service;
  return std::holds_alternative<CreateConfig>(action) ? Kind::config : Kind::process;
}

Loop::Loop(Cluster& cluster, const Clock& clock, Decide decide, Looked looked)
    : cluster_(cluster), clock_(clock), decide_(std::move(decide)), looked_(std::move(looked)) {}

void Loop::wake(const std::string& job) {
  const std::lock_guard lock(mutex_);
  woken_.insert(job);
  rung_.notify_one();
}

std::optional<Moment> Loop::turn() {
  const Moment now = clock_.now();
  {
    const std::lock_guard lock(mutex_);
    for (const std::string& job : woken_) queue_.add(job, now);
    woken_.clear();
  }
  if (const auto job = queue_.take(now)) {
    looks_since_ = now.time_since_epoch().count();
    Look look = look_after(*job);
    looks_since_ = 0;
    if (look.result == Look::Result::not_done || look.result == Look::Result::cluster_failed) {
      queue_.add_failed(*job, clock_.now());
    } else {
      queue_.succeeded(*job);
    }
    look.queued = queue_.size();
    looked_(look);
  }
  return queue_.next_due();
}

void Loop::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const std::optional<Moment> next = turn();
    const auto is_rung = [this] { return !woken_.empty(); };
    std::unique_lock lock(mutex_);
    if (next) {
      rung_.wait_until(lock, stop, *next, is_rung);
    } else {
      rung_.wait(lock, stop, is_rung);
    }
  }
}

std::optional<Moment> Loop::looks_since() const {
  const Moment::rep since = looks_since_;
  return since == 0 ? std::nullopt : std::optional(Moment(Moment::duration(since)));
}

Look Loop::look_after(const std::string& job) {
  const auto [entry, is_new] = memories_.try_emplace(job);
  Memory& memory = entry->second;
  if (is_new) memory.known = forgotten_;
  Look look{.job = job, .result = Look::Result::cluster_failed, .why = "", .took = {}, .queued = 0};
  const Moment began = clock_.now();
  try {
    look.result = look_at(job, memory);
  } catch (const std::exception& failure) {
    memory.unsure = true;  // the cluster could not be asked; what it did before that is not known
    why_ = memory.refused = failure.what();
  }
  look.why = std::exchange(why_, "");
  look.took = clock_.now() - began;
  if (memory.is_gone) {
    forgotten_ = newest(forgotten_, memory.known);
    memories_.erase(job);
  }
  return look;
}

Look::Result Loop::look_at(const std::string& job, Memory& memory) {
  const Snapshot snapshot = look(job, memory);
  if (!is_fresh(job, memory, snapshot)) return Look::Result::waits_for_watches;
  memory.is_gone = !snapshot.job;
  if (snapshot.job && memory.uid != snapshot.job->spec.uid) {  // Another job of the same name.
    memory.uid = snapshot.job->spec.uid;
    memory.parked_at.reset();
    memory.refused.clear();
  }
  if (!snapshot.job || memory.parked_at == snapshot.job->spec.generation) return Look::Result::rests;
  const std::optional<Decision> decision = decide(job, memory, *snapshot.job, snapshot.observed);
  if (!decision) return Look::Result::parked;
  if (decision->wake_at) queue_.add(job, *decision->wake_at);
  return carry_out(job, memory, *snapshot.job, *decision);
}

Snapshot Loop::look(const std::string& job, Memory& memory) {
  const bool waited = memory.stale_since && clock_.now() >= *memory.stale_since + patience_with_watches;
  const bool by_quorum = memory.unsure || waited;
  Snapshot snapshot = cluster_.observe(job, by_quorum ? Reading::quorum : Reading::cached);
  if (by_quorum) {
    memory.unsure = false;
    memory.stale_since.reset();
  }
  return snapshot;
}

bool Loop::is_fresh(const std::string& job, Memory& memory, const Snapshot& snapshot) {
  if (!older(snapshot.seen, memory.known)) {
    memory.stale_since.reset();
    memory.known = snapshot.seen;
    return true;
  }
  const Moment now = clock_.now();
  if (!memory.stale_since) memory.stale_since = now;
  queue_.add(job, std::max(now, *memory.stale_since + patience_with_watches));
  return false;
}

std::optional<Decision> Loop::decide(const std::string& job, Memory& memory, const JobRecord& record,
                                     Observed observed) {
  const Time now = std::chrono::floor<seconds>(clock_.now());
  observed.refused = memory.refused;
  try {
    return decide_(record.spec, record.status, observed, now);
  } catch (const std::exception& broken) {
    JobStatus status = record.status;
    park(status, broken.what(), now);
    // Where the status could not be written, nobody knows of it yet: it is decided on anew.
    if (!put(job, memory, record.version, status)) throw;
    why_ = broken.what();
    memory.parked_at = record.spec.generation;
    return std::nullopt;
  }
}

Look::Result Loop::carry_out(const std::string& job, Memory& memory, const JobRecord& record,
                             const Decision& decision) {
  if (decision.actions.empty() && decision.status == record.status) {
    memory.refused.clear();
    return Look::Result::rests;
  }
  if (!put(job, memory, record.version, decision.status)) return Look::Result::not_done;
  memory.refused.clear();
  for (const Action& action : decision.actions) {
    if (!act(job, memory, record.spec, action)) return Look::Result::not_done;
  }
  return Look::Result::acted;
}

bool Loop::put(const std::string& job, Memory& memory, Version read, const JobStatus& status) {
  const Reply reply = cluster_.put_status(job, read, status);
  if (reply.answer == Answer::done) {
    of(memory.known, Kind::job) = std::max(of(memory.known, Kind::job), reply.version);
    memory.unsure = memory.unsure || reply.version == 0;
    return true;
  }
  memory.unsure = true;
  why_ = reply.why;
  return false;
}

bool Loop::act(const std::string& job, Memory& memory, const JobSpec& spec, const Action& action) {
  const Reply reply = cluster_.apply(job, spec, action);
  if (reply.answer == Answer::done) {
    Version& written = of(memory.known, kind_of(action));
    written = std::max(written, reply.version);
    memory.unsure = memory.unsure || reply.version == 0;
    return true;
  }
  memory.unsure = true;
  why_ = reply.why;
  if (reply.answer == Answer::refused) memory.refused = reply.why;
  return reply.answer == Answer::already;
}

}  // namespace carrack::control
