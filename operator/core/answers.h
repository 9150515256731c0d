// What follows from a cluster's answers: when a refused action is asked for again, and whether a process can exist.
#pragma once

#include "operator/core/observed.h"
#include "operator/core/plan.h"

namespace carrack::control {

// The answer about a child of that name; nullptr if there is none.
const Answer* answer_about(const Observed& observed, const std::string& child);

// The answer about the process of a member's current start; nullptr if there is none.
const Answer* answer_about(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                           const train::Member& member);

// The names of the Service and the configuration of the job, as far as the cluster does not show them.
std::vector<std::string> missing_objects(const JobSpec& spec, const Observed& observed);

// True if what was asked for was not done. Of a process that no cluster shows this says that it never was, so the same
// start may be asked for again: the fence is still its own. After an answer of `unanswered` it may have run, or run
// yet.
bool is_surely_not_done(const Answer& answer);

// The earliest time at which the action may be asked for again. Who is refused rests for a second, which doubles with
// every refusal in a row up to 5 minutes; a part that depends on the child's name is taken off, so that not all
// children of a quota are asked for at the same time. Other answers make the whole job rest, as Loop describes.
Time ask_again_at(const Answer& answer, const std::string& child);
seconds refusal_backoff(int refusals, const std::string& child);

// Removes the answers about processes that are neither shown nor wanted any more.
void forget_old(Answers& answers, const JobSpec& spec, const JobStatus& status, const Observed& observed);

}  // namespace carrack::control
