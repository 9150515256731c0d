// What follows from a cluster's answers: when a refused action is retried, and whether a process can exist.
#pragma once

#include "operator/core/observed.h"
#include "operator/core/plan.h"

namespace carrack::control {

// The answer about a child of that name; nullptr if there is none.
const Answer* answer_about(const Observed& observed, const std::string& child);

// The answer about the process of a member's current start; nullptr if there is none.
const Answer* answer_about(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                           const train::Member& member);

// Whether processes of this attempt get the key that CreateKey creates. They do not while one lives that a release
// without it has started, since it could not talk to them.
bool uses_key(const JobSpec& spec, const JobStatus& status, const Observed& observed);

// The names of the Service and the configuration of the job, as far as the cluster does not show them, and of its key,
// if it has one and nothing shows that it exists.
std::vector<std::string> missing_objects(const JobSpec& spec, const JobStatus& status, const Observed& observed);

// True if the action was certainly not done. If it was to create a process, that process never existed, so its name
// and fence can be used again. After `unanswered` the process may have run, and may still run.
bool is_surely_not_done(const Answer& answer);

// The earliest time at which the action is retried. After a refusal that is one second later; the pause doubles with
// each refusal in a row, up to 5 minutes. It is shortened by a part that depends on the child's name, so that not all
// children beyond a quota are retried at once. After other answers the whole job pauses, as Loop describes.
Time retry_time(const Answer& answer, const std::string& child);
seconds refusal_backoff(int refusals, const std::string& child);

// Removes the answers about processes that are neither shown nor wanted any more.
void forget_old(Answers& answers, const JobSpec& spec, const JobStatus& status, const Observed& observed);

}  // namespace carrack::control
