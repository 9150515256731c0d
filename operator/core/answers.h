// Decides what follows when the cluster refuses an action: when it is retried, and whether a process may exist. Pure.
#pragma once

#include "operator/core/observed.h"
#include "operator/core/plan.h"

namespace carrack::control {

// The cluster's last refusal about the child with this name; nullptr if there is none. Points into `observed`.
const Answer* answer_about(const Observed& observed, const std::string& child);

// The last refusal about the process of a member's current start; nullptr if there is none, or the start has ended.
// Points into `observed`.
const Answer* answer_about(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                           const train::Member& member);

// True if the processes that are created in this attempt get the key of CreateKey. False if the job has no key, and
// while a process of this attempt lives that an older release started without the key: processes with and without it
// could not talk to each other.
bool uses_key(const JobSpec& spec, const JobStatus& status, const Observed& observed);

// Returns the names of the objects that are to be created: the Service and the configuration, if the job has them and
// the cluster does not show them, and the key, if uses_key() and this operator does not know that it exists
// (Observed::has_key). A running process of this attempt proves that the key exists.
std::vector<std::string> missing_objects(const JobSpec& spec, const JobStatus& status, const Observed& observed);

// True if the action was certainly not done. A process that was to be created then never existed, so its name and fence
// can be used again. False for `unanswered`: the process may have run, and may still run.
bool is_surely_not_done(const Answer& answer);

// The earliest time at which the action may be retried. After `quota`, `denied` and `invalid` that is refusal_backoff()
// after the refusal. After other answers it is Time::min(), since Loop pauses the whole job instead.
Time retry_time(const Answer& answer, const std::string& child);
// The pause after `refusals` refusals in a row: 1 second, doubled with each further refusal, up to 5 minutes. Up to a
// quarter is subtracted, depending on the child's name, so that not all children beyond a quota are retried at the same
// time.
seconds refusal_backoff(int refusals, const std::string& child);

// Removes the answers about processes that the cluster does not show and that no current start needs.
void forget_old(Answers& answers, const JobSpec& spec, const JobStatus& status, const Observed& observed);

}  // namespace carrack::control
