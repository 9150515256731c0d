// Decides what follows when the cluster (Kubernetes, or this machine under `carrack run`) refuses to create or delete
// an object of a job: when the operator tries again, and whether the object may exist all the same. reconcile() and the
// loop that carries out its actions call this. An object of a job is called its child: a process (pod), the Service,
// the configuration or the key. Pure.
#pragma once

#include "operator/core/observed.h"
#include "operator/core/plan.h"

namespace carrack::control {

// Returns the cluster's last refusal about the child with this name; nullptr if there is none, as after an action about
// it that was done. Points into `observed`.
const LastRefusal* last_refusal_of(const Observed& observed, const std::string& child);

// The same for the process of a member's current start. nullptr also if the member has not started or its start has
// ended.
const LastRefusal* last_refusal_of(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                                   const train::Member& member);

// True if the processes that are created now get the job's key, the Secret by which they authenticate each other. False
// if the job has no key (key_name()), and while a process of this attempt lives that an older release started without
// the key: processes with and without it could not talk to each other.
bool uses_key(const JobSpec& spec, const JobStatus& status, const Observed& observed);

// Returns the names of the shared objects that are to be created; empty if none is missing. These are the Service and
// the configuration, if the job needs them and the cluster does not show them, and the key, if uses_key() and the
// operator does not know that it exists: by Observed::has_key, or because a process of this attempt runs.
std::vector<std::string> missing_objects(const JobSpec& spec, const JobStatus& status, const Observed& observed);

// True if the action was certainly not done. A process that was to be created then never existed, so its name and fence
// (attempt and incarnation) can be used again. False for `unanswered`: the process may have run, and may still run.
bool is_surely_not_done(const LastRefusal& answer);

// Returns the earliest time at which the action about `child` may be retried. After `quota`, `denied` and `invalid`
// that is refusal_backoff() after the refusal. After others it is Time::min(), since Loop pauses the whole job instead.
Time retry_time(const LastRefusal& answer, const std::string& child);
// Returns the pause after `refusals` refusals in a row: 1 second, doubled with each further refusal, up to 5 minutes.
// Up to a quarter is subtracted, depending on the child's name, so that not all children beyond a quota are retried at
// the same time.
seconds refusal_backoff(int refusals, const std::string& child);

// Removes from `answers` the refusals about processes that the cluster does not show and that no current start needs.
void forget_old(LastRefusals& answers, const JobSpec& spec, const JobStatus& status, const Observed& observed);

}  // namespace carrack::control
